#include "batch_solver.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

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

/// Rows by which is seen what kind of rows they are.
constexpr std::size_t kProbe = 256;

/// The search in any order is tried where fewer than one in so many rows ended early.
constexpr std::size_t kFewOf = 16;

/// So few that their outcomes stay in the processor's cache.
constexpr std::size_t kRowsInOrder = 4096;

/// Solves some rows in the fixed order and hands each outcome on. Few rows go to the single engine, one after the
/// other: an idle lane costs as much as one at work, and the single engine is twice as fast as one lane.
template <typename Take>
void solve_in_order(const Engine& engine, const std::uint8_t* puzzles, std::span<const std::size_t> rows,
                    const SolveOrder& order, Take take) {
    std::vector<SingleOutcome> outcomes(std::min(rows.size(), kRowsInOrder));
    while (!rows.empty()) {
        const auto some = rows.first(std::min(rows.size(), kRowsInOrder));
        rows = rows.subspan(some.size());
        if (some.size() > static_cast<std::size_t>(engine.lanes) / 8) {
            engine.solve_in_order(
                {.puzzles = puzzles, .rows = some.data(), .count = some.size(), .outcomes = outcomes.data()},
                order);
        } else {
            for (std::size_t index = 0; index < some.size(); ++index) {
                engine.solve_single(puzzles + kCells * some[index], order, outcomes[index]);
            }
        }
        order.pause.call(order.pause.context);
        for (std::size_t index = 0; index < some.size(); ++index) {
            take(some[index], outcomes[index]);
        }
    }
}

/// Solves rows first .. first+rows-1.
///
/// Args:
///     in_any_order: try the search that is not ordered.
///
/// Returns: how many rows were left by it, or would have been.
std::size_t solve_slice(const Engine& engine, const SolveRows& batch, std::size_t first, std::size_t rows,
                        const SolveOrder& order, bool in_any_order) {
    const std::uint8_t* const puzzles = batch.puzzles + kCells * first;
    const auto answer = [&](std::size_t row) {
        return RowAnswer{.count = batch.counts[first + row],
                         .nodes = batch.nodes[first + row],
                         .status = batch.status[first + row],
                         .solution = GridSpan(batch.solutions + kCells * (first + row), kCells)};
    };
    if (in_any_order) {
        engine.solve({.puzzles = puzzles,
                      .rows = rows,
                      .counts = batch.counts + first,
                      .solutions = batch.solutions + kCells * first,
                      .nodes = batch.nodes + first},
                     order);
    }
    std::vector<std::size_t> left;    // rows to be searched in order
    std::vector<std::size_t> several; // rows of which only the first solution is not known
    for (std::size_t row = 0; row < rows; ++row) {
        const RowAnswer found = answer(row);
        if (!in_any_order || found.count >= order.limit || found.nodes > order.max_nodes) {
            left.push_back(row);
        } else {
            settle(GridView(puzzles + kCells * row, kCells), found, order.limit, false);
            if (found.count > 1) {
                several.push_back(row);
            }
        }
    }
    std::size_t ended_early = 0;
    solve_in_order(engine, puzzles, left, order, [&](std::size_t row, const SingleOutcome& outcome) {
        const RowAnswer found = answer(row);
        ended_early += outcome.count >= order.limit || outcome.ran_out ? 1 : 0;
        found.count = outcome.count;
        found.nodes = outcome.nodes;
        std::copy_n(outcome.solution, kCells, found.solution.begin());
        settle(GridView(puzzles + kCells * row, kCells), found, order.limit, outcome.ran_out);
    });
    const SolveOrder to_the_first{.limit = 1, .max_nodes = kNoBound, .pause = order.pause};
    solve_in_order(engine, puzzles, several, to_the_first, [&](std::size_t row, const SingleOutcome& outcome) {
        std::copy_n(outcome.solution, kCells, answer(row).solution.begin());
    });
    return ended_early;
}

} // namespace

void solve_batch(const Engine& engine, const SolveRows& batch, const SearchBounds& bounds, std::size_t together) {
    const SolveOrder order{
        .limit = bounds.limit,
        .max_nodes = bounds.max_nodes,
        .pause = pause_of(bounds.stop_check),
    };
    // Of a row that ends early the search in any order tells nothing, and every row does with limit 1. Among
    // others some rows in front of each slice tell what to expect of the rest; a wrong guess costs nothing but
    // time.
    bool in_any_order = order.limit > 1;
    const std::size_t most = std::min(together, kRowsTogether);
    std::size_t size = std::min(most, kProbe);
    for (std::size_t first = 0; first < batch.rows; first += size, size = most) {
        size = std::min(size, batch.rows - first);
        order.pause.call(order.pause.context); // easy rows are done before a search would ask
        const bool fills_lanes = size > static_cast<std::size_t>(engine.lanes) / 8;
        const std::size_t ended_early =
            solve_slice(engine, batch, first, size, order, in_any_order && fills_lanes);
        in_any_order = order.limit > 1 && ended_early < size / kFewOf;
    }
}

} // namespace sudokumill
