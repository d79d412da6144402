// The ordered search: many grids in lockstep, each depth first in a lane of its own.
//
// It does what the single engine does to each of its grids, so it knows the same things of them: which solution is
// the first, and how far the search came when it ended early. The search of search.hpp does not, for it begins
// branches wherever a lane is free.
//
//     level 2    .  b  .  .      second branches that wait: those of a grid lie one above the other in its own
//     level 1    a  b  .  d      lane, so that nothing moves between lanes. A grid that ends its branch goes on
//     level 0    a  b  .  d      with the uppermost; at level 0 it is done, and its lane takes the next grid.
//     lane       0  1  2  3
//
// When there are no new grids, the last few lanes are handed over to the single engine, which is faster than a
// vector with few lanes at work.
//
// Rejected: to do so for all grids. One that is to be searched to its end may be searched in any order, and is
// done sooner if its branches are spread over free lanes, with most of them never stored.
#pragma once

#include "branch.hpp"
#include "engine.hpp"
#include "owned.hpp"
#include "pass.hpp"
#include "rows.hpp"
#include "single_search.hpp"
#include "solved_lanes.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// Cells for each depth of a search, made when it comes there.
class Levels {
  public:
    Levels() = default;
    Levels(const Levels&) = delete;
    Levels& operator=(const Levels&) = delete;
    ~Levels() {
        for (int i = 0; i < made_; ++i) {
            delete cells_[i];
        }
    }

    /// At most one above the highest that there is.
    Cells& operator[](int depth) {
        if (depth == made_) {
            if (made_ == kMost) {
                stack_is_full();
            }
            cells_[made_] = new Cells();
            ++made_;
        }
        return *cells_[depth];
    }

  private:
    static constexpr int kMost = 2 * kCellCount; // a first branch settles a digit in a row or in a column

    Cells* cells_[kMost];
    int made_ = 0;
};

class OrderedSearch {
  public:
    OrderedSearch(const OrderedBatch& batch, const SolveOrder& order) : batch_(batch), order_(order) {
        for (Lanes& cell : state_.cells.at) {
            cell = all_lanes(kAnyDigit); // passes look at lanes too that never hold anything
        }
        incoming_.waiting = 0;
    }

    void run() {
        refill();
        while (active_ != 0) {
            if (count_of(active_) <= kHandedOver && incoming_.waiting == 0 && next_ == batch_.count) {
                break;
            }
            const Verdict verdict = two_passes(state_);
            const LaneMask running = active_ & verdict.changed & ~verdict.dead & ~verdict.solved;
            if (count_of(running) > kFewRunning) {
                continue;
            }
            if ((++events_ & 0xFFF) == 0 && order_.pause.call != nullptr) {
                order_.pause.call(order_.pause.context);
            }
            const LaneMask solved = active_ & verdict.solved & ~verdict.dead;
            LaneMask ended = active_ & (verdict.dead | verdict.solved);
            take_solved(solved, ended);
            branch(active_ & ~running & ~verdict.dead & ~verdict.solved, ended);
            go_back(ended);
            refill();
        }
        solved_lanes_.write();
        for (; active_ != 0; active_ &= active_ - 1) {
            hand_over(first_of(active_));
        }
    }

  private:
    static constexpr int kHandedOver = kLanes / 8;

    SingleOutcome& outcome(int lane) { return batch_.outcomes[index_[lane]]; }

    void done(int lane) { active_ &= ~lane_bit(lane); }

    /// Counts solutions. Lanes that have enough are done, and not among those that ended a branch any more.
    void take_solved(LaneMask solved, LaneMask& ended) {
        LaneMask to_write = 0;
        std::uint8_t* rows[kLanes];
        for (; solved != 0; solved &= solved - 1) {
            const int lane = first_of(solved);
            SingleOutcome& found = outcome(lane);
            if (found.count++ == 0) {
                rows[lane] = found.solution;
                to_write |= lane_bit(lane);
            }
            if (found.count == order_.limit) {
                done(lane);
                ended &= ~lane_bit(lane);
            }
        }
        if (to_write != 0) {
            solved_lanes_.take(state_.cells, to_write, rows);
        }
    }

    /// Whether the budget has a node left for the lane, which is taken; without one the lane is done.
    bool takes_node(int lane) {
        SingleOutcome& found = outcome(lane);
        if (found.nodes == order_.max_nodes) {
            found.ran_out = true;
            done(lane);
            return false;
        }
        ++found.nodes;
        return true;
    }

    /// The lanes of `left` that are as deep as its first one, which are taken out of it.
    LaneMask of_one_depth(LaneMask& left) const {
        const int depth = depth_[first_of(left)];
        LaneMask same = 0;
        for (LaneMask others = left; others != 0; others &= others - 1) {
            same |= depth_[first_of(others)] == depth ? lane_bit(first_of(others)) : 0;
        }
        left &= ~same;
        return same;
    }

    /// Lanes go on with their first branches, and their second ones wait.
    void branch(LaneMask stalled, LaneMask& ended) {
        if (stalled == 0) {
            return;
        }
        choose_branches(state_, stalled, branches_);
        ended |= branches_.hopeless;
        LaneMask branching = 0;
        for (LaneMask left = stalled & ~branches_.hopeless; left != 0; left &= left - 1) {
            branching |= takes_node(first_of(left)) ? lane_bit(first_of(left)) : 0;
        }
        for (int cell = 0; cell < kCellCount; ++cell) {
            Lanes& candidates = state_.cells.at[cell];
            second_.at[cell] = without(branches_.outside, cell, candidates);
            candidates = without(branches_.inside, cell, candidates);
        }
        while (branching != 0) {
            const int depth = depth_[first_of(branching)];
            const LaneMask same = of_one_depth(branching);
            Cells& level = levels_[depth];
            const Where here = where(same);
            for (int cell = 0; cell < kCellCount; ++cell) {
                level.at[cell] = pick(here, second_.at[cell], level.at[cell]);
            }
            for (LaneMask left = same; left != 0; left &= left - 1) {
                ++depth_[first_of(left)];
            }
        }
    }

    /// Lanes go on with what waits, or are done.
    void go_back(LaneMask ended) {
        LaneMask returning = 0;
        for (; ended != 0; ended &= ended - 1) {
            const int lane = first_of(ended);
            if (depth_[lane] == 0) {
                done(lane);
            } else if (takes_node(lane)) {
                --depth_[lane];
                returning |= lane_bit(lane);
            }
        }
        while (returning != 0) {
            Cells& level = levels_[depth_[first_of(returning)]];
            const Where here = where(of_one_depth(returning));
            for (int cell = 0; cell < kCellCount; ++cell) {
                state_.cells.at[cell] = pick(here, level.at[cell], state_.cells.at[cell]);
            }
        }
    }

    /// Loads as many grids as there are lanes.
    void load_next() {
        const std::uint8_t* rows[kLanes];
        const std::size_t left = batch_.count - next_;
        const int count = left < kLanes ? static_cast<int>(left) : kLanes;
        for (int lane = 0; lane < kLanes; ++lane) {
            rows[lane] = batch_.puzzles + kCellCount * batch_.rows[lane < count ? next_ + lane : next_];
            incoming_.task[lane] = static_cast<int>(next_) + lane;
        }
        load_rows(rows, incoming_.cells);
        incoming_.waiting = first_lanes(count);
        next_ += count;
    }

    /// Fills free lanes with new grids.
    void refill() {
        LaneMask free = kAllLanes & ~active_;
        while (free != 0) {
            if (incoming_.waiting == 0) {
                if (next_ == batch_.count) {
                    return;
                }
                load_next();
            }
            Transfer fills;
            for (; free != 0 && incoming_.waiting != 0; free &= free - 1) {
                const int source = first_of(incoming_.waiting);
                const int lane = first_of(free);
                incoming_.waiting &= incoming_.waiting - 1;
                fills.add(source, lane);
                index_[lane] = incoming_.task[source];
                depth_[lane] = 0;
                outcome(lane).count = 0;
                outcome(lane).nodes = 0;
                outcome(lane).ran_out = false;
            }
            const Move move(fills.from);
            const Where target = where(fills.to);
            for (int cell = 0; cell < kCellCount; ++cell) {
                Lanes& candidates = state_.cells.at[cell];
                candidates = pick(target, moved(incoming_.cells.at[cell], move), candidates);
            }
            active_ |= fills.to;
        }
    }

    static void take_out(const Cells& cells, int lane, Grid& grid) {
        std::uint16_t candidates[9][16] = {};
        for (int cell = 0; cell < kCellCount; ++cell) {
            candidates[cell / 9][lane_of(cell % 9)] = cells.at[cell][lane];
        }
        __builtin_memcpy(grid.boxes, candidates, sizeof candidates);
    }

    /// The single engine goes on where a lane is.
    void hand_over(int lane) {
        SingleSearch search(order_, outcome(lane));
        Grid grid;
        take_out(state_.cells, lane, grid);
        search.descend(grid);
        while (depth_[lane] > 0 && search.goes_on()) {
            take_out(levels_[--depth_[lane]], lane, grid);
            search.try_branch(grid);
        }
    }

    const OrderedBatch& batch_;
    const SolveOrder& order_;
    State state_;
    Branches branches_;
    Cells second_;
    Block incoming_; // its tasks are indices of the batch
    Levels levels_;
    SolvedLanes solved_lanes_;
    LaneMask active_ = 0;
    int index_[kLanes] = {};
    int depth_[kLanes] = {}; // second branches that wait
    std::size_t next_ = 0;
    unsigned events_ = 0;
};

inline void solve_in_order(const OrderedBatch& batch, const SolveOrder& order) {
    const Owned<OrderedSearch> search(batch, order);
    search->run();
}

} // namespace sudokumill::SUDOKUMILL_BUILD
