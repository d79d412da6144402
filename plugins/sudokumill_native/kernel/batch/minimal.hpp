// Which puzzles are minimal: no single clue can go without a second solution.
//
// Of each clue it is asked whether there is a solution in which its cell holds another digit, which spares the search
// for the solution that is known. The clues of many puzzles are asked about together, in rounds:
//
//     round 1    one clue of each puzzle       most puzzles with clues to spare are decided here, and drop out
//     round 2    three more                    of those that are left
//     round 3    nine more
//     ...
//
// A clue that is the last one of an unavoidable set is needed, and nothing is asked.
//
// Rejected: all clues of a puzzle at once, which costs a puzzle with clues to spare thirty searches in place of two
// or three.
#pragma once

#include "engine.hpp"
#include "owned.hpp"
#include "rows.hpp"
#include "search.hpp"
#include "unavoidable.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// Questions about clues, one task each.
class ClueQuestions {
  public:
    static constexpr bool kOneBranchFirst = true;
    static constexpr int kMost = 512; // at a time

    explicit ClueQuestions(const MinimalBatch& batch) : batch_(batch) {}

    void clear() { next_ = count_ = 0; }
    bool full() const { return count_ == kMost; }
    int count() const { return count_; }

    void ask(std::size_t row, std::uint8_t place) {
        row_[count_] = row;
        place_[count_] = place;
        needed_[count_] = false;
        ++count_;
    }

    /// Whether the clue of a question turned out to be needed.
    bool is_needed(int task) const { return needed_[task]; }
    std::size_t row_of(int task) const { return row_[task]; }

    bool next(Block& block) {
        if (next_ == count_) {
            return false;
        }
        const std::uint8_t* rows[kLanes];
        const int count = count_ - next_ < kLanes ? count_ - next_ : kLanes;
        for (int lane = 0; lane < kLanes; ++lane) {
            rows[lane] = batch_.puzzles + kCellCount * row_[lane < count ? next_ + lane : next_];
            block.task[lane] = next_ + lane;
        }
        load_rows(rows, block.cells);
        for (int lane = 0; lane < count; ++lane) {
            Lanes& cell = block.cells.at[kPlaces.cell[place_[next_ + lane]]];
            cell[lane] = static_cast<std::uint16_t>(kAnyDigit ^ cell[lane]);
        }
        block.waiting = first_lanes(count);
        next_ += count;
        return true;
    }

    SUDOKUMILL_INLINE bool is_done(int task) const { return needed_[task]; }
    SUDOKUMILL_INLINE void branched(int) {}
    SUDOKUMILL_INLINE std::uint8_t* solved(int task) {
        needed_[task] = true;
        return nullptr;
    }
    void pause() const {
        if (batch_.pause.call != nullptr) {
            batch_.pause.call(batch_.pause.context);
        }
    }

  private:
    const MinimalBatch& batch_;
    int next_ = 0;
    int count_ = 0;
    std::size_t row_[kMost];
    std::uint8_t place_[kMost];
    bool needed_[kMost];
};

class MinimalityTest {
  public:
    explicit MinimalityTest(const MinimalBatch& batch) : batch_(batch), questions_(batch), search_(questions_) {}

    void run() {
        for (std::size_t first = 0; first < batch_.rows; first += kRowsOfSlab) {
            const std::size_t left = batch_.rows - first;
            run_slab(first, left < kRowsOfSlab ? static_cast<int>(left) : kRowsOfSlab);
        }
    }

  private:
    static constexpr int kRowsOfSlab = 512;
    static constexpr int kGrowth = 3; // of the number of clues that a round asks about

    /// The clues of a puzzle that may not be needed.
    struct Open {
        std::uint8_t places[kCellCount];
        int count;
        int asked;
    };

    void run_slab(std::size_t first, int rows) {
        for (int row = 0; row < rows; row += kLanes) {
            find_open(first + row, rows - row < kLanes ? rows - row : kLanes, open_ + row);
        }
        for (int each = 1;; each *= kGrowth) {
            questions_.clear();
            bool any = false;
            for (int row = 0; row < rows; ++row) {
                Open& open = open_[row];
                const int end = open.count - open.asked < each ? open.count : open.asked + each;
                for (; open.asked < end && batch_.minimal[first + row] != 0; ++open.asked) {
                    any = true;
                    questions_.ask(first + row, open.places[open.asked]);
                    if (questions_.full()) {
                        answer();
                    }
                }
            }
            answer();
            if (!any) {
                return;
            }
        }
    }

    void answer() {
        search_.run();
        questions_.pause(); // easy questions are answered before the search would ask
        for (int task = 0; task < questions_.count(); ++task) {
            if (!questions_.is_needed(task)) {
                batch_.minimal[questions_.row_of(task)] = 0;
            }
        }
        questions_.clear();
    }

    /// Notes of some rows, at most as many as there are lanes, the clues that no unavoidable set shows to be needed.
    void find_open(std::size_t first, int count, Open* open) {
        const std::uint8_t* rows[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) {
            rows[lane] = batch_.solutions + kCellCount * (first + (lane < count ? lane : 0));
        }
        load_rows(rows, digits_);
        sets_.find(digits_);
        for (int lane = 0; lane < count; ++lane) {
            for (int place = 0; place < kCellCount; ++place) {
                if (batch_.puzzles[kCellCount * (first + lane) + place] == 0) {
                    sets_.turn(lane, place, rows[lane][place] - 1);
                }
            }
        }
        sets_.lock();
        for (int lane = 0; lane < count; ++lane) {
            batch_.minimal[first + lane] = 1;
            open[lane].count = 0;
            open[lane].asked = 0;
            for (int place = 0; place < kCellCount; ++place) {
                if (batch_.puzzles[kCellCount * (first + lane) + place] != 0 &&
                    !sets_.is_locked(lane, place, rows[lane][place] - 1)) {
                    open[lane].places[open[lane].count++] = static_cast<std::uint8_t>(place);
                }
            }
        }
    }

    const MinimalBatch& batch_;
    ClueQuestions questions_;
    Search<ClueQuestions> search_;
    UnavoidableSets sets_;
    Cells digits_;
    Open open_[kRowsOfSlab];
};

inline void find_minimal(const MinimalBatch& batch) {
    const Owned<MinimalityTest> test(batch);
    test->run();
}

} // namespace sudokumill::SUDOKUMILL_BUILD
