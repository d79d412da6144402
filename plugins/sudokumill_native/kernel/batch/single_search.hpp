// The single engine: one grid, depth first, the first branch before the second.
//
// Its tree is that of the batch engine, so it counts the same nodes. It says what depends on an order: which of
// several solutions is the first, and how far a search comes that ends early.
#pragma once

#include "engine.hpp"
#include "rows.hpp"
#include "single_branch.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

class SingleSearch {
  public:
    /// Adds to an outcome.
    SingleSearch(const SolveOrder& order, SingleOutcome& outcome) : order_(order), outcome_(outcome) {}

    /// The grid of a puzzle; false if a clash was seen.
    static bool load(const std::uint8_t* puzzle, Grid& grid) {
        std::uint16_t lanes[9][16] = {};
        for (int box = 0; box < 9; ++box) {
            unsigned seen = 0;
            for (int i = 0; i < 9; ++i) {
                const unsigned digit = puzzle[kPlaces.of[9 * box + i]];
                const unsigned candidates = detail::kCandidates[digit < 10 ? digit : 10];
                lanes[box][lane_of(i)] = static_cast<std::uint16_t>(candidates);
                if (digit != 0) {
                    if ((seen & candidates) != 0 || candidates == 0) {
                        return false;
                    }
                    seen |= candidates;
                }
            }
        }
        __builtin_memcpy(grid.boxes, lanes, sizeof lanes);
        return true;
    }

    /// Everything below a node.
    void descend(Grid& grid) {
        SinglePass pass;
        do {
            two_passes(grid, pass);
            if (pass.dead) {
                return;
            }
            if (pass.solved) {
                if (outcome_.count++ == 0) {
                    write(grid);
                }
                return;
            }
        } while (pass.changed);
        const SingleBranch branch = choose_branch(pass);
        if (branch.band < 0) {
            return;
        }
        Grid inside = grid;
        for (int on = 1; on < 3; ++on) {
            take(branch, (branch.box + on) % 3, inside);
        }
        if (try_branch(inside)) {
            take(branch, branch.box, grid);
            try_branch(grid);
        }
    }

    /// Whether neither the limit nor the budget was reached.
    bool goes_on() const { return !outcome_.ran_out && outcome_.count < order_.limit; }

    /// One more node, and everything below it. Whether the search goes on.
    bool try_branch(Grid& grid) {
        if (outcome_.nodes == order_.max_nodes) {
            outcome_.ran_out = true;
            return false;
        }
        if ((++outcome_.nodes & 0xFFFF) == 0 && order_.pause.call != nullptr) {
            order_.pause.call(order_.pause.context);
        }
        descend(grid);
        return goes_on();
    }

  private:
    void write(const Grid& grid) const {
        for (int cell = 0; cell < kCellCount; ++cell) {
            const unsigned candidates = grid.boxes[cell / 9][lane_of(cell % 9)];
            outcome_.solution[kPlaces.of[cell]] = static_cast<std::uint8_t>(__builtin_ctz(candidates) + 1);
        }
    }

    const SolveOrder& order_;
    SingleOutcome& outcome_;
};

inline void solve_single(const std::uint8_t* puzzle, const SolveOrder& order, SingleOutcome& outcome) {
    outcome.count = 0;
    outcome.nodes = 0;
    outcome.ran_out = false;
    Grid grid;
    if (SingleSearch::load(puzzle, grid)) {
        SingleSearch(order, outcome).descend(grid);
    }
}

} // namespace sudokumill::SUDOKUMILL_BUILD
