#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "../kernel/grade/grade_batch.hpp"
#include "arrays.hpp"
#include "batches.hpp"
#include "module.hpp"

using namespace nanobind::literals;

namespace sudokumill {
namespace {

explainer::GradeBounds grade_bounds_of(std::uint64_t effort, std::optional<std::uint16_t> ceiling) {
    return {.effort = effort, .ceiling = ceiling.value_or(explainer::GradeBounds::kNoCeiling)};
}

/// What grading a batch gives back.
nb::tuple as_arrays(const std::vector<explainer::Grade>& grades) {
    const std::size_t rows = grades.size();
    Buffer<std::uint8_t> status(rows);
    Buffer<std::uint16_t> er(rows);
    Buffer<std::uint16_t> ep(rows);
    Buffer<std::uint16_t> ed(rows);
    Buffer<std::uint8_t> hardest(rows);
    Buffer<std::uint16_t> counts(rows * explainer::kTechniques);
    Buffer<std::int64_t> steps(rows);
    Buffer<std::int64_t> rating_sum(rows);
    Buffer<std::int64_t> bottleneck(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const explainer::Grade& grade = grades[row];
        status[row] = static_cast<std::uint8_t>(grade.status);
        er[row] = grade.er;
        ep[row] = grade.ep;
        ed[row] = grade.ed;
        hardest[row] = static_cast<std::uint8_t>(grade.hardest);
        std::ranges::copy(grade.counts, counts.data() + row * explainer::kTechniques);
        steps[row] = grade.steps;
        rating_sum[row] = grade.rating_sum;
        bottleneck[row] = grade.bottleneck;
    }
    return nb::make_tuple(std::move(status).as_column(), std::move(er).as_column(), std::move(ep).as_column(),
                          std::move(ed).as_column(), std::move(hardest).as_column(),
                          std::move(counts).as_rows<explainer::kTechniques>(), std::move(steps).as_column(),
                          std::move(rating_sum).as_column(), std::move(bottleneck).as_column());
}

nb::tuple grade(const GridsIn& grids, std::uint64_t effort, std::optional<std::uint16_t> ceiling,
                const std::string& build, int threads) {
    const explainer::GradeBounds bounds = grade_bounds_of(effort, ceiling);
    const Engine& engine = engine_of(build);
    std::vector<explainer::Grade> grades(grids.shape(0));
    do_batch(grades.size(), threads, [&](std::size_t first, std::size_t rows, const StopCheck& stop_check) {
        explainer::GradeBounds own_bounds = bounds;
        own_bounds.stop_check = &stop_check;
        explainer::grade_batch(
            engine, {.grids = grids.data() + kCells * first, .rows = rows, .grades = grades.data() + first},
            own_bounds);
    });
    return as_arrays(grades);
}

/// ((cell, digit, on, why, technique, since), ...), as in _kernel.pyi.
nb::tuple as_chain(const explainer::chains::Chain& chain) {
    nb::list implications;
    for (const explainer::chains::Implication& implication : chain) {
        nb::list since;
        for (const int number : implication.since) {
            since.append(number);
        }
        implications.append(nb::make_tuple(implication.node.cell, implication.node.digit + 1, implication.node.on,
                                           static_cast<int>(implication.why),
                                           static_cast<int>(implication.technique), nb::tuple(since)));
    }
    return nb::tuple(implications);
}

/// (technique, rating, cells, digits, placements, eliminations, chains), as in _kernel.pyi.
nb::tuple as_step(const explainer::PathStep& step) {
    const explainer::Hint& hint = step.hint;
    nb::list cells;
    explainer::for_each_cell(hint.cells, [&](int cell) { cells.append(cell); });
    nb::list digits;
    explainer::for_each_bit(hint.digits, [&](int digit) { digits.append(digit + 1); });
    nb::list placements;
    if (hint.placed_cell >= 0) {
        placements.append(nb::make_tuple(hint.placed_cell, hint.placed_digit + 1));
    }
    nb::list eliminations;
    for (int cell = 0; cell < kCells; ++cell) {
        for (int digit = 0; digit < kDigits; ++digit) {
            if (hint.eliminations.contains(cell, digit)) {
                eliminations.append(nb::make_tuple(cell, digit + 1));
            }
        }
    }
    nb::list chains;
    for (const explainer::chains::Chain& chain : step.chains) {
        chains.append(as_chain(chain));
    }
    return nb::make_tuple(static_cast<int>(hint.technique), hint.rating, nb::tuple(cells), nb::tuple(digits),
                          nb::tuple(placements), nb::tuple(eliminations), nb::tuple(chains));
}

nb::list grade_path(const GridIn& grid, std::uint64_t effort, std::optional<std::uint16_t> ceiling,
                    const std::string& build) {
    const explainer::GradeBounds bounds = grade_bounds_of(effort, ceiling);
    const Engine& engine = engine_of(build);
    std::vector<explainer::PathStep> path;
    do_batch(1, 1, [&](std::size_t, std::size_t, const StopCheck& stop_check) {
        explainer::GradeBounds own_bounds = bounds;
        own_bounds.stop_check = &stop_check;
        path = explainer::find_path(engine, GridView(grid.data(), kCells), own_bounds);
    });
    nb::list steps;
    for (const explainer::PathStep& step : path) {
        steps.append(as_step(step));
    }
    return steps;
}

/// The values that rows get, by the names of Python's enumeration.
nb::dict grade_statuses() {
    using explainer::GradeStatus;
    nb::dict values;
    values["GRADED"] = static_cast<int>(GradeStatus::graded);
    values["NOT_UNIQUE"] = static_cast<int>(GradeStatus::not_unique);
    values["NO_SOLUTION"] = static_cast<int>(GradeStatus::no_solution);
    values["CLASH"] = static_cast<int>(GradeStatus::clash);
    values["COMPLETE"] = static_cast<int>(GradeStatus::complete);
    values["GAVE_UP"] = static_cast<int>(GradeStatus::gave_up);
    values["ABOVE"] = static_cast<int>(GradeStatus::above);
    return values;
}

/// (code, lowest rating) of each technique, in the order of their numbers.
nb::list techniques() {
    nb::list all;
    for (int number = 0; number < explainer::kTechniques; ++number) {
        const auto technique = static_cast<explainer::Technique>(number);
        const std::string_view code = explainer::code_of(technique);
        all.append(nb::make_tuple(nb::str(code.data(), code.size()), explainer::least_rating_of(technique)));
    }
    return all;
}

} // namespace

void bind_grading(nb::module_& module) {
    module.def("grade", &grade, "grids"_a.noconvert(), "effort"_a, "ceiling"_a.none(), "build"_a, "threads"_a = 1);
    module.def("grade_path", &grade_path, "grid"_a.noconvert(), "effort"_a, "ceiling"_a.none(), "build"_a);
    module.attr("grade_statuses") = grade_statuses();
    module.attr("techniques") = nb::tuple(techniques());
}

} // namespace sudokumill
