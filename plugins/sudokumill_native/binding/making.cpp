#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../kernel/digger.hpp"
#include "../kernel/minimality.hpp"
#include "arrays.hpp"
#include "batches.hpp"
#include "module.hpp"

using namespace nanobind::literals;

namespace sudokumill {
namespace {

GridsOut make_finals(const SeedsIn& seeds, int uniformity, const std::string& build, int threads) {
    if (uniformity < kLeastUniformity || uniformity > kMostUniformity) {
        throw nb::value_error("uniformity must be 11 to 40");
    }
    const Engine& engine = engine_of(build);
    Buffer<std::uint8_t> finals(kCells * seeds.shape(0));
    do_batch(seeds.shape(0), threads, [&](std::size_t first, std::size_t rows, const StopCheck& stop_check) {
        engine.make_finals({.seeds = seeds.data() + first,
                            .rows = rows,
                            .uniformity = uniformity,
                            .finals = finals.data() + kCells * first,
                            .pause = pause_of(&stop_check)});
    });
    return std::move(finals).as_grids();
}

/// Cells with equal numbers are one orbit.
std::vector<std::vector<std::uint8_t>> orbits_of(const CellsIn& numbers) {
    std::vector<std::vector<std::uint8_t>> orbits;
    for (int cell = 0; cell < kCells; ++cell) {
        const std::size_t number = numbers.data()[cell];
        if (number >= kCells) {
            throw nb::value_error("the numbers of orbits must be 0 to 80");
        }
        orbits.resize(std::max(orbits.size(), number + 1));
        orbits[number].push_back(static_cast<std::uint8_t>(cell));
    }
    std::erase_if(orbits, [](const auto& orbit) { return orbit.empty(); });
    return orbits;
}

/// Those that are not 0.
CellSet cells_of(const CellsIn& marked) {
    CellSet cells;
    for (int cell = 0; cell < kCells; ++cell) {
        cells[cell] = marked.data()[cell] != 0;
    }
    return cells;
}

nb::tuple dig_finals(const GridsIn& finals, const SeedsIn& seeds, const CellsIn& orbits, std::vector<int> aims,
                     std::pair<int, int> clue_range, bool minimal, const std::string& build, int threads,
                     bool shuffled, int row_min, int column_min, const std::optional<CellsIn>& blank, bool pattern,
                     int added) {
    const std::size_t rows = finals.shape(0);
    if (seeds.shape(0) != rows) {
        throw nb::value_error("there must be one seed a final");
    }
    if (aims.empty()) {
        throw nb::value_error("there must be a clue count to aim at");
    }
    if (row_min < 0 || row_min > kDigits || column_min < 0 || column_min > kDigits) {
        throw nb::value_error("row_min and column_min must be 0 to 9");
    }
    if (added < 0 || added > kCells) {
        throw nb::value_error("added must be 0 to 81");
    }
    const DigOrder order{
        .orbits = orbits_of(orbits),
        .aims = std::move(aims),
        .least = clue_range.first,
        .most = clue_range.second,
        .minimal = minimal,
        .shuffled = shuffled,
        .row_min = row_min,
        .column_min = column_min,
        .blank = blank ? cells_of(*blank) : CellSet{},
        .pattern = pattern,
        .added = added,
    };
    const Engine& engine = engine_of(build);
    Buffer<std::uint8_t> puzzles(kCells * rows);
    Buffer<std::uint8_t> status(rows);
    do_batch(rows, threads, [&](std::size_t first, std::size_t count, const StopCheck& stop_check) {
        dig_batch(engine,
                  {.finals = finals.data() + kCells * first,
                   .seeds = seeds.data() + first,
                   .rows = count,
                   .puzzles = puzzles.data() + kCells * first,
                   .status = status.data() + first},
                  order, &stop_check);
    });
    return nb::make_tuple(std::move(puzzles).as_grids(), std::move(status).as_column());
}

ColumnOut<std::uint8_t> minimal(const GridsIn& puzzles, const GridsIn& solutions, const std::string& build,
                                int threads) {
    if (solutions.shape(0) != puzzles.shape(0)) {
        throw nb::value_error("there must be one solution a puzzle");
    }
    const Engine& engine = engine_of(build);
    Buffer<std::uint8_t> answers(puzzles.shape(0));
    do_batch(puzzles.shape(0), threads, [&](std::size_t first, std::size_t rows, const StopCheck& stop_check) {
        find_minimal(engine,
                     {.puzzles = puzzles.data() + kCells * first,
                      .solutions = solutions.data() + kCells * first,
                      .rows = rows,
                      .minimal = answers.data() + first},
                     &stop_check);
    });
    return std::move(answers).as_column();
}

/// The values that rows get, by the names of Python's enumeration.
nb::dict dig_statuses() {
    nb::dict values;
    values["DUG"] = static_cast<int>(DigStatus::dug);
    values["MISSED"] = static_cast<int>(DigStatus::missed);
    values["NOT_A_FINAL"] = static_cast<int>(DigStatus::not_a_final);
    values["GAVE_UP"] = static_cast<int>(DigStatus::gave_up);
    return values;
}

} // namespace

void bind_making(nb::module_& module) {
    module.def("make_finals", &make_finals, "seeds"_a.noconvert(), "uniformity"_a, "build"_a, "threads"_a = 1);
    module.def("dig", &dig_finals, "finals"_a.noconvert(), "seeds"_a.noconvert(), "orbits"_a.noconvert(), "aims"_a,
               "clue_range"_a, "minimal"_a, "build"_a, "threads"_a = 1, "shuffled"_a = true, "row_min"_a = 0,
               "column_min"_a = 0, "blank"_a.noconvert() = nb::none(), "pattern"_a = false, "added"_a = 0);
    module.def("minimal", &minimal, "puzzles"_a.noconvert(), "solutions"_a.noconvert(), "build"_a,
               "threads"_a = 1);
    module.attr("dig_statuses") = dig_statuses();
}

} // namespace sudokumill
