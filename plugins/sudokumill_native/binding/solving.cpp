#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "../kernel/batch_solver.hpp"
#include "../kernel/exact_cover.hpp"
#include "arrays.hpp"
#include "batches.hpp"
#include "module.hpp"

using namespace nanobind::literals;

namespace sudokumill {
namespace {

SearchBounds bounds_of(std::int64_t limit, std::optional<std::int64_t> max_nodes) {
    if (limit < 1) {
        throw nb::value_error("limit must be 1 or more");
    }
    if (max_nodes.value_or(1) < 1) {
        throw nb::value_error("max_nodes must be 1 or more, or None");
    }
    return {
        .limit = limit,
        .max_nodes = max_nodes.value_or(std::numeric_limits<std::int64_t>::max()),
    };
}

/// What solving a batch gives back.
struct SolveColumns {
    explicit SolveColumns(std::size_t rows) : counts(rows), solutions(kCells * rows), nodes(rows), status(rows) {}

    nb::tuple as_arrays() && {
        return nb::make_tuple(std::move(counts).as_column(), std::move(solutions).as_grids(),
                              std::move(nodes).as_column(), std::move(status).as_column());
    }

    Buffer<std::int64_t> counts;
    Buffer<std::uint8_t> solutions;
    Buffer<std::int64_t> nodes;
    Buffer<std::uint8_t> status;
};

nb::tuple search_cover_of_batch(const GridsIn& puzzles, std::int64_t limit,
                                std::optional<std::int64_t> max_nodes) {
    SearchBounds bounds = bounds_of(limit, max_nodes);
    const std::size_t rows = puzzles.shape(0);
    SolveColumns found(rows);
    for_each_row(rows, [&](std::size_t index, const StopCheck& stop_check) {
        bounds.stop_check = &stop_check;
        const SolveOutcome outcome = search_cover(row_of_batch(puzzles, index), bounds);
        found.counts[index] = outcome.count;
        found.nodes[index] = outcome.nodes;
        found.status[index] = static_cast<std::uint8_t>(outcome.status);
        std::ranges::copy(outcome.solution, found.solutions.row(index).begin());
    });
    return std::move(found).as_arrays();
}

nb::tuple solve(const GridsIn& puzzles, std::int64_t limit, std::optional<std::int64_t> max_nodes,
                const std::string& build, std::size_t together, int threads) {
    const SearchBounds bounds = bounds_of(limit, max_nodes);
    const Engine& engine = engine_of(build);
    if (together < 1) {
        throw nb::value_error("together must be 1 or more");
    }
    SolveColumns found(puzzles.shape(0));
    do_batch(puzzles.shape(0), threads, [&](std::size_t first, std::size_t rows, const StopCheck& stop_check) {
        SearchBounds own_bounds = bounds;
        own_bounds.stop_check = &stop_check;
        solve_batch(engine,
                    {.puzzles = puzzles.data() + kCells * first,
                     .rows = rows,
                     .counts = found.counts.data() + first,
                     .solutions = found.solutions.data() + kCells * first,
                     .nodes = found.nodes.data() + first,
                     .status = found.status.data() + first},
                    own_bounds, together);
    });
    return std::move(found).as_arrays();
}

/// The values that rows get, by the names of Python's enumerations.
nb::dict solve_statuses() {
    nb::dict values;
    values["UNIQUE"] = static_cast<int>(SolveStatus::unique);
    values["SEVERAL"] = static_cast<int>(SolveStatus::several);
    values["NO_SOLUTION"] = static_cast<int>(SolveStatus::no_solution);
    values["CLASH"] = static_cast<int>(SolveStatus::clash);
    values["GAVE_UP"] = static_cast<int>(SolveStatus::gave_up);
    values["SOLVABLE"] = static_cast<int>(SolveStatus::solvable);
    return values;
}

} // namespace

void bind_solving(nb::module_& module) {
    module.def("solve", &solve, "puzzles"_a.noconvert(), "limit"_a, "max_nodes"_a.none(), "build"_a,
               "together"_a = kRowsTogether, "threads"_a = 1);
    module.def("search_cover", &search_cover_of_batch, "puzzles"_a.noconvert(), "limit"_a,
               "max_nodes"_a = nb::none());
    module.attr("solve_statuses") = solve_statuses();
}

} // namespace sudokumill
