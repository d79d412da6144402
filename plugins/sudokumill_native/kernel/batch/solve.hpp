// Solving a batch.
#pragma once

#include "engine.hpp"
#include "owned.hpp"
#include "search.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

constexpr std::uint8_t kBlankRow[kCellCount] = {};

/// Hands out the rows of a batch in their order.
class SolveWork {
  public:
    static constexpr bool kOneBranchFirst = false;

    SolveWork(const SolveBatch& batch, const SolveOrder& order) : batch_(batch), order_(order) {
        for (std::size_t row = 0; row < batch.rows; ++row) {
            batch.counts[row] = 0;
            batch.nodes[row] = 0;
        }
    }

    bool next(Block& block) {
        if (next_ == batch_.rows) {
            return false;
        }
        const std::uint8_t* rows[kLanes];
        const std::size_t left = batch_.rows - next_;
        const int count = left < kLanes ? static_cast<int>(left) : kLanes;
        for (int lane = 0; lane < kLanes; ++lane) {
            rows[lane] = lane < count ? batch_.puzzles + kCellCount * (next_ + lane) : kBlankRow;
            block.task[lane] = static_cast<int>(next_) + lane;
        }
        load_rows(rows, block.cells);
        block.waiting = first_lanes(count);
        next_ += count;
        return true;
    }

    SUDOKUMILL_INLINE bool is_done(int row) const {
        return batch_.counts[row] >= order_.limit || batch_.nodes[row] > order_.max_nodes;
    }
    SUDOKUMILL_INLINE void branched(int row) { batch_.nodes[row] += 2; } // both branches are tried in the end
    SUDOKUMILL_INLINE std::uint8_t* solved(int row) {
        const bool first = batch_.counts[row]++ == 0;
        return first ? batch_.solutions + kCellCount * row : nullptr;
    }
    void pause() const {
        if (order_.pause.call != nullptr) {
            order_.pause.call(order_.pause.context);
        }
    }

  private:
    const SolveBatch& batch_;
    const SolveOrder& order_;
    std::size_t next_ = 0;
};

inline void solve(const SolveBatch& batch, const SolveOrder& order) {
    SolveWork work(batch, order);
    const Owned<Search<SolveWork>> search(work);
    search->run();
}

} // namespace sudokumill::SUDOKUMILL_BUILD
