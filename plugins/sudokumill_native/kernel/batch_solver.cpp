#include "batch_solver.hpp"

#include <algorithm>
#include <limits>

namespace sudokumill {
namespace {

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

/// What is written for one row.
struct RowAnswer {
    std::int64_t& count;
    std::int64_t& nodes;
    std::uint8_t& status;
    GridSpan solution;
};

void settle(GridView puzzle, const RowAnswer& row, std::int64_t limit, bool ran_out) {
    if (row.count == 0) {
        std::ranges::fill(row.solution, std::uint8_t{0});
    }
    // a clash leaves no solution, and is found without a node
    const bool clash = row.count == 0 && row.nodes == 0 && has_clash(puzzle);
    row.status = static_cast<std::uint8_t>(clash ? SolveStatus::clash : status_of(row.count, limit, ran_out));
}

void solve_alone(const Engine& engine, GridView puzzle, const RowAnswer& row, const SolveOrder& order) {
    SingleOutcome outcome{};
    engine.solve_single(puzzle.data(), order, outcome);
    row.count = outcome.count;
    row.nodes = outcome.nodes;
    std::copy_n(outcome.solution, kCells, row.solution.begin());
    settle(puzzle, row, order.limit, outcome.ran_out);
}

/// The first of several solutions, which the batch engine does not know.
void find_first(const Engine& engine, GridView puzzle, GridSpan solution) {
    SingleOutcome outcome{};
    engine.solve_single(puzzle.data(), {.limit = 1, .max_nodes = kNoBound, .pause = {}}, outcome);
    std::copy_n(outcome.solution, kCells, solution.begin());
}

void solve_slice(const Engine& engine, const SolveRows& batch, std::size_t first, std::size_t rows,
                 const SolveOrder& order) {
    const std::uint8_t* const puzzles = batch.puzzles + kCells * first;
    // an idle lane costs as much as one at work, and the single engine is twice as fast as one lane;
    // and of a row that ends at its first solution the batch engine would tell nothing
    const bool together = order.limit > 1 && rows > static_cast<std::size_t>(engine.lanes) / 8;
    if (together) {
        engine.solve({.puzzles = puzzles,
                      .rows = rows,
                      .counts = batch.counts + first,
                      .solutions = batch.solutions + kCells * first,
                      .nodes = batch.nodes + first},
                     order);
    }
    for (std::size_t index = 0; index < rows; ++index) {
        const GridView puzzle(puzzles + kCells * index, kCells);
        const RowAnswer row{.count = batch.counts[first + index],
                            .nodes = batch.nodes[first + index],
                            .status = batch.status[first + index],
                            .solution = GridSpan(batch.solutions + kCells * (first + index), kCells)};
        if (together && row.count < order.limit && row.nodes <= order.max_nodes) {
            settle(puzzle, row, order.limit, false);
            if (row.count > 1) {
                find_first(engine, puzzle, row.solution);
            }
        } else {
            solve_alone(engine, puzzle, row, order);
            order.pause.call(order.pause.context);
        }
    }
}

} // namespace

void solve_batch(const Engine& engine, const SolveRows& batch, const SearchBounds& bounds, std::size_t together) {
    const SolveOrder order{
        .limit = bounds.limit,
        .max_nodes = bounds.max_nodes,
        .pause = pause_of(bounds.stop_check),
    };
    for (std::size_t first = 0; first < batch.rows; first += together) {
        solve_slice(engine, batch, first, std::min(together, batch.rows - first), order);
    }
}

} // namespace sudokumill
