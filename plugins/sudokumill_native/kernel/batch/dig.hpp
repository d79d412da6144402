// Digging in lockstep: each row takes clues out of its final in its own order, for as long as one solution is
// left.
//
// What comes out is what a loop would give that takes the orbits one by one and puts back each that cannot go. But
// uniqueness is lost only once as clues go, so many can be taken at a time and checked together:
//
//     order of a row     a b c d e f g h i ...
//     taken, checked     a b c d e f g h        still unique: all of them stay out
//                                        i j    not unique: half of them are put back (of many only the last few),
//                                        i      and the rest is checked, until one is left, which is put back for
//                                               good or stays out
//
// Whether an orbit may go can also hang on the clues that are left at its turn: on their number, or on those of
// its rows and columns. It is asked when the orbit's turn comes, as if all that was taken stayed out; and asked
// again if that turns out wrong, for all turns from the first orbit on that is put back come again.
//
// Clues that are the last ones of an unavoidable set are passed over without a check.
//
// A check of one cell asks whether there is a solution in which it does not hold its digit, which spares the
// search for the solution that is known; a check of more asks for two solutions. Rows dig in groups of as many as
// there are lanes, and the checks of all groups are searched together.
//
// Rejected: both branches of a check at once, as most checks are done with the first solution; two clues at a time
// to the end, which doubles the time, since a check of two is far from being as cheap as one; to remember where a
// second solution differs from the final, as one more unavoidable set, which spares no more than one check in
// forty.
#pragma once

#include "engine.hpp"
#include "owned.hpp"
#include "rows.hpp"
#include "search.hpp"
#include "unavoidable.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// One row that is being dug.
struct DigRow {
    DigPlan plan;
    int turn;                       // of the orbits in the plan's order, the next to look at
    int clues;                      // left
    int quota;                      // clues to take before the next check
    int taken_count;                // orbits that are out and not checked yet
    std::uint8_t taken[kCellCount]; // ... their turns
    std::uint8_t line_clues[18]; // left in each row, and in each column; counted only if there is a least number
};

/// As many rows as there are lanes.
struct DigGroup {
    Cells digits; // one bit each
    Cells blank;  // any digit where the clue is out
    UnavoidableSets sets;
    DigRow rows[kLanes];
    std::size_t first; // of the batch
    int count;         // rows in this group
    LaneMask live;     // rows that are still dug
    LaneMask checked;  // rows with a check under way
};

/// The checks of all groups, one task a row.
class DigChecks {
  public:
    static constexpr bool kOneBranchFirst = true;
    static constexpr int kMostGroups = 512 / kLanes;

    explicit DigChecks(const Pause& pause) : pause_(pause) {}

    DigGroup groups[kMostGroups];

    /// Begins a round.
    void begin() {
        next_ = 0;
        for (std::uint8_t& count : counts_) {
            count = 0;
        }
    }

    bool next(Block& block) {
        while (next_ < kMostGroups && groups[next_].checked == 0) {
            ++next_;
        }
        if (next_ == kMostGroups) {
            return false;
        }
        const DigGroup& group = groups[next_];
        for (int cell = 0; cell < kCellCount; ++cell) {
            block.cells.at[cell] = group.digits.at[cell] | group.blank.at[cell];
        }
        block.waiting = group.checked;
        for (LaneMask left = group.checked; left != 0; left &= left - 1) {
            const int lane = first_of(left);
            const int task = next_ * kLanes + lane;
            block.task[lane] = task;
            const int cell = only_cell(group.rows[lane]);
            wanted_[task] = cell < 0 ? 2 : 1;
            if (cell >= 0) {
                block.cells.at[cell][lane] = static_cast<std::uint16_t>(kAnyDigit ^ group.digits.at[cell][lane]);
            }
        }
        ++next_;
        return true;
    }

    SUDOKUMILL_INLINE bool is_done(int task) const { return counts_[task] >= wanted_[task]; }
    SUDOKUMILL_INLINE void branched(int) {}
    SUDOKUMILL_INLINE std::uint8_t* solved(int task) {
        ++counts_[task];
        return nullptr;
    }
    void pause() const {
        if (pause_.call != nullptr) {
            pause_.call(pause_.context);
        }
    }

    bool is_unique(int group, int lane) const {
        const int task = group * kLanes + lane;
        return counts_[task] == wanted_[task] - 1;
    }

  private:
    /// The cell, box by box, if the check is about one; else -1.
    static int only_cell(const DigRow& row) {
        if (row.taken_count != 1) {
            return -1;
        }
        const Orbit& orbit = row.plan.orbits[row.plan.turns[row.taken[0]]];
        return orbit.size == 1 ? kPlaces.cell[orbit.cells[0]] : -1;
    }

    Pause pause_;
    int next_ = 0;
    std::uint8_t counts_[kMostGroups * kLanes] = {};
    std::uint8_t wanted_[kMostGroups * kLanes] = {};
};

/// Digs a batch. Only where rows or columns must keep some clues are these counted.
template <bool kCountsLines> class Digger {
  public:
    explicit Digger(const DigBatch& batch) : batch_(batch), checks_(batch.pause), search_(checks_) {}

    void run() {
        for (DigGroup& group : checks_.groups) {
            load(group);
        }
        for (;;) {
            bool any = false;
            for (DigGroup& group : checks_.groups) {
                any |= take_clues(group);
            }
            if (!any) {
                return;
            }
            checks_.begin();
            search_.run();
            for (int index = 0; index < DigChecks::kMostGroups; ++index) {
                DigGroup& group = checks_.groups[index];
                for (LaneMask left = group.checked; left != 0; left &= left - 1) {
                    settle(group, first_of(left), checks_.is_unique(index, first_of(left)));
                }
            }
        }
    }

  private:
    // measured, for digging to the end
    static constexpr int kFirstQuota = 39; // a final with so many clues fewer is unique, more often than not
    static constexpr int kFewClues = 35;   // with fewer clues, one at a time is best
    static constexpr int kRelock = 20;     // so few clues taken since the last look lock hardly any
    static constexpr int kMany = 16;       // of so many orbits that cannot all go, it is seldom an early one
    static constexpr int kLastFew = 6;     // ... so only these are put back

    void load(DigGroup& group) {
        group.live = 0;
        group.checked = 0;
        group.count = 0;
        if (next_ == batch_.rows) {
            return;
        }
        const std::uint8_t* rows[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) {
            rows[lane] = batch_.finals + kCellCount * (next_ + lane < batch_.rows ? next_ + lane : next_);
        }
        load_rows(rows, group.digits);
        for (Lanes& cell : group.blank.at) {
            cell = Lanes{};
        }
        group.sets.find(group.digits);
        group.first = next_;
        for (; group.count < kLanes && next_ < batch_.rows; ++group.count, ++next_) {
            DigRow& row = group.rows[group.count];
            batch_.plan(batch_.context, next_, row.plan);
            row.turn = 0;
            row.clues = kCellCount;
            row.quota = kFirstQuota;
            row.taken_count = 0;
            for (std::uint8_t& clues : row.line_clues) {
                clues = 9;
            }
        }
        group.live = first_lanes(group.count);
    }

    void unload(const DigGroup& group) {
        for (int lane = 0; lane < group.count; ++lane) {
            const std::size_t row = group.first + lane;
            for (int place = 0; place < kCellCount; ++place) {
                const bool blank = group.blank.at[kPlaces.cell[place]][lane] != 0;
                batch_.puzzles[kCellCount * row + place] = blank ? 0 : batch_.finals[kCellCount * row + place];
            }
        }
    }

    void turn(DigGroup& group, int lane, const Orbit& orbit) {
        for (int i = 0; i < orbit.size; ++i) {
            const int place = orbit.cells[i];
            const int cell = kPlaces.cell[place];
            group.blank.at[cell][lane] = static_cast<std::uint16_t>(group.blank.at[cell][lane] ^ kAnyDigit);
            group.sets.turn(lane, place, __builtin_ctz(group.digits.at[cell][lane]));
            if (kCountsLines) {
                const bool taken = group.blank.at[cell][lane] != 0;
                std::uint8_t* const lines = group.rows[lane].line_clues;
                lines[place / 9] = static_cast<std::uint8_t>(lines[place / 9] + (taken ? -1 : 1));
                lines[9 + place % 9] = static_cast<std::uint8_t>(lines[9 + place % 9] + (taken ? -1 : 1));
            }
        }
    }

    /// Whether the rows and columns of an orbit have clues to spare for it.
    bool spares_lines(const DigRow& row, const Orbit& orbit) const {
        std::uint8_t lines[18];
        __builtin_memcpy(lines, row.line_clues, sizeof lines);
        for (int i = 0; i < orbit.size; ++i) {
            const int place = orbit.cells[i];
            if (lines[place / 9]-- <= batch_.row_min || lines[9 + place % 9]-- <= batch_.column_min) {
                return false;
            }
        }
        return true;
    }

    /// Whether an orbit must stay for what else is wanted of the puzzle.
    bool is_needed(const DigRow& row, const Orbit& orbit) const {
        return row.clues - orbit.size < row.plan.fewest ||
               (row.turn == row.plan.deciding && (row.clues - row.plan.fewest) % 2 == 0) ||
               (kCountsLines && !spares_lines(row, orbit));
    }

    static bool is_locked(const DigGroup& group, int lane, const Orbit& orbit) {
        for (int i = 0; i < orbit.size; ++i) {
            const int place = orbit.cells[i];
            if (group.sets.is_locked(lane, place, __builtin_ctz(group.digits.at[kPlaces.cell[place]][lane]))) {
                return true;
            }
        }
        return false;
    }

    /// Takes the next orbit of a row that can go without a check saying no; false if its check is due.
    bool take_one(DigGroup& group, int lane) {
        DigRow& row = group.rows[lane];
        for (; row.turn < row.plan.turn_count; ++row.turn) {
            const Orbit& orbit = row.plan.orbits[row.plan.turns[row.turn]];
            if (row.taken_count > 0 && orbit.size > row.quota) {
                return false;
            }
            if (is_needed(row, orbit) || is_locked(group, lane, orbit)) {
                continue;
            }
            turn(group, lane, orbit);
            row.taken[row.taken_count++] = static_cast<std::uint8_t>(row.turn++);
            row.clues -= orbit.size;
            row.quota -= orbit.size;
            return row.quota > 0;
        }
        return false;
    }

    /// Takes clues out of each row of a group, and of the next group if this one is done; whether there is
    /// anything to be checked.
    bool take_clues(DigGroup& group) {
        for (;;) {
            group.checked = 0;
            if (group.live == 0) {
                unload(group);
                load(group);
                if (group.count == 0) {
                    return false;
                }
            }
            LaneMask taking = 0;
            for (LaneMask left = group.live; left != 0; left &= left - 1) {
                taking |= group.rows[first_of(left)].quota > 0 ? lane_bit(first_of(left)) : 0;
            }
            for (int step = 0; taking != 0; ++step) {
                if (step == 0 || step >= kRelock) {
                    group.sets.lock();
                }
                for (LaneMask left = taking; left != 0; left &= left - 1) {
                    const int lane = first_of(left);
                    taking &= ~(take_one(group, lane) ? 0 : lane_bit(lane));
                }
            }
            for (LaneMask left = group.live; left != 0; left &= left - 1) {
                group.checked |= group.rows[first_of(left)].taken_count > 0 ? lane_bit(first_of(left)) : 0;
            }
            group.live = group.checked;
            if (group.checked != 0) {
                return true;
            }
        }
    }

    /// What a check means for its row.
    void settle(DigGroup& group, int lane, bool unique) {
        DigRow& row = group.rows[lane];
        if (unique) {
            row.taken_count = 0;
            row.quota = row.clues > kFewClues ? (row.clues - kFewClues + 1) / 2 : 1;
            return;
        }
        const int taken = row.taken_count;
        const int keep = taken == 1 ? 0 : taken >= kMany ? taken - kLastFew : taken / 2;
        for (int i = keep; i < taken; ++i) {
            const Orbit& orbit = row.plan.orbits[row.plan.turns[row.taken[i]]];
            turn(group, lane, orbit);
            row.clues += orbit.size;
        }
        // an orbit that was checked alone cannot go; of several, the first that was put back comes next
        row.turn = taken == 1 ? row.taken[0] + 1 : row.taken[keep];
        row.taken_count = keep;
        row.quota = keep > 0 ? 0 : 1;
    }

    const DigBatch& batch_;
    DigChecks checks_;
    Search<DigChecks> search_;
    std::size_t next_ = 0;
};

inline void dig(const DigBatch& batch) {
    if (batch.row_min > 0 || batch.column_min > 0) {
        const Owned<Digger<true>> digger(batch);
        digger->run();
    } else {
        const Owned<Digger<false>> digger(batch);
        digger->run();
    }
}

} // namespace sudokumill::SUDOKUMILL_BUILD
