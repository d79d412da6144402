// The module sudokumill_native._kernel: batches from Python to the kernel and back. The only file that knows
// Python. What it promises is written in _kernel.pyi.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kernel/batch/dispatch.hpp"
#include "kernel/batch_solver.hpp"
#include "kernel/canonical.hpp"
#include "kernel/digger.hpp"
#include "kernel/exact_cover.hpp"
#include "kernel/grade/grade_batch.hpp"
#include "kernel/minimality.hpp"
#include "kernel/peer.hpp"
#include "kernel/threads.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sudokumill {
namespace {

using GridsIn = nb::ndarray<const std::uint8_t, nb::shape<-1, kCells>, nb::c_contig, nb::device::cpu>;
using SeedsIn = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CellsIn = nb::ndarray<const std::uint8_t, nb::shape<kCells>, nb::c_contig, nb::device::cpu>;
using GridIn = nb::ndarray<const std::uint8_t, nb::shape<kCells>, nb::c_contig, nb::device::cpu>;
using GridsOut = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<-1, kCells>>;
using CountsOut = nb::ndarray<nb::numpy, std::uint16_t, nb::shape<-1, explainer::kTechniques>>;
template <typename T> using ColumnOut = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// Memory that a batch is written to, and that numpy takes over.
template <typename T> class Buffer {
  public:
    explicit Buffer(std::size_t size) : items_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

    T& operator[](std::size_t index) { return items_[index]; }
    T* data() { return items_.get(); }

    /// The 81 items of one row.
    std::span<T, kCells> row(std::size_t index) {
        return std::span<T, kCells>(items_.get() + kCells * index, kCells);
    }

    ColumnOut<T> as_column() && {
        const std::size_t size = size_;
        auto [items, owner] = std::move(*this).release();
        return ColumnOut<T>(items, {size}, owner);
    }

    CountsOut as_counts() && {
        const std::size_t rows = size_ / explainer::kTechniques;
        auto [items, owner] = std::move(*this).release();
        return CountsOut(items, {rows, std::size_t{explainer::kTechniques}}, owner);
    }

    GridsOut as_grids() && {
        const std::size_t rows = size_ / kCells;
        auto [items, owner] = std::move(*this).release();
        return GridsOut(items, {rows, std::size_t{kCells}}, owner);
    }

  private:
    std::pair<T*, nb::capsule> release() && {
        T* items = items_.get();
        nb::capsule owner(items, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
        items_.release();
        return {items, std::move(owner)};
    }

    std::unique_ptr<T[]> items_;
    std::size_t size_;
};

GridView row_of_batch(const GridsIn& grids, std::size_t index) {
    return GridView(grids.data() + kCells * index, kCells);
}

/// Whether Python handles signals in this thread; can be asked without the GIL.
bool is_main_thread() {
#if defined(__linux__)
    return syscall(SYS_gettid) == getpid(); // so it is after a fork too, also from another thread
#elif defined(__APPLE__)
    return pthread_main_np() != 0;
#else
    return true;
#endif
}

/// Ends a batch when a signal raises, as Ctrl-C does. Called without the GIL, as often as one likes: it looks at a
/// clock (20 ns), and ten times a second it takes the GIL and asks.
///
/// Only in the main thread. Elsewhere Python has nothing to answer, and a thread that wants the GIL while the
/// interpreter goes down is killed in the middle of C++.
class SignalCheck {
  public:
    void operator()() {
        const Clock::time_point now = Clock::now();
        if (now < next_) {
            return;
        }
        if (!is_main_thread()) {
            next_ = Clock::time_point::max();
            return;
        }
        next_ = now + std::chrono::milliseconds(100);
        const nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
    }

  private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(100);
};

/// Does each row of a batch, with the GIL free for other threads and a look at signals between rows.
template <typename DoRow> void for_each_row(std::size_t rows, DoRow do_row) {
    const nb::gil_scoped_release other_threads_run;
    const StopCheck stop_check = SignalCheck();
    for (std::size_t index = 0; index < rows; ++index) {
        do_row(index, stop_check);
        stop_check();
    }
}

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

/// Does a batch on some threads, with the GIL free for others.
void do_batch(std::size_t rows, int threads, const DoRows& do_rows) {
    if (threads < 1) {
        throw nb::value_error("threads must be 1 or more");
    }
    const nb::gil_scoped_release other_threads_run;
    const StopCheck stop_check = SignalCheck();
    in_threads(rows, threads, stop_check, do_rows);
}

const Engine& engine_of(const std::string& build) {
    const Engine* engine = find_engine(build);
    if (engine == nullptr) {
        throw nb::value_error("no such build on this machine");
    }
    return *engine;
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
                     bool shuffled, int row_min, int column_min, const std::optional<CellsIn>& blank,
                     bool pattern, int added) {
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

GridsOut canonical_forms(const GridsIn& grids, const GridsIn& solutions, int threads) {
    if (solutions.shape(0) != grids.shape(0)) {
        throw nb::value_error("there must be one solution a grid");
    }
    Buffer<std::uint8_t> forms(kCells * grids.shape(0));
    do_batch(grids.shape(0), threads, [&](std::size_t first, std::size_t rows, const StopCheck& stop_check) {
        for (std::size_t index = first; index < first + rows; ++index) {
            canonical_form(row_of_batch(grids, index), row_of_batch(solutions, index), forms.row(index));
            stop_check();
        }
    });
    return std::move(forms).as_grids();
}

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
                          std::move(ed).as_column(), std::move(hardest).as_column(), std::move(counts).as_counts(),
                          std::move(steps).as_column(), std::move(rating_sum).as_column(),
                          std::move(bottleneck).as_column());
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

nb::tuple solve_by_peer(const Peer& peer, const GridsIn& puzzles) {
    const std::size_t rows = puzzles.shape(0);
    Buffer<std::int64_t> counts(rows);
    Buffer<std::uint8_t> solutions(kCells * rows);
    peer.solve(puzzles.data(), rows, counts.data(), solutions.data());
    return nb::make_tuple(std::move(counts).as_column(), std::move(solutions).as_grids());
}

GridsOut dig_by_peer(const Peer& peer, const GridsIn& finals, const SeedsIn& seeds) {
    if (seeds.shape(0) != finals.shape(0)) {
        throw nb::value_error("there must be one seed a final");
    }
    Buffer<std::uint8_t> puzzles(kCells * finals.shape(0));
    peer.dig(finals.data(), seeds.data(), finals.shape(0), puzzles.data());
    return std::move(puzzles).as_grids();
}

GridsOut make_finals_by_peer(const Peer& peer, const SeedsIn& seeds) {
    Buffer<std::uint8_t> finals(kCells * seeds.shape(0));
    peer.make_finals(seeds.data(), seeds.shape(0), finals.data());
    return std::move(finals).as_grids();
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

nb::dict dig_statuses() {
    nb::dict values;
    values["DUG"] = static_cast<int>(DigStatus::dug);
    values["MISSED"] = static_cast<int>(DigStatus::missed);
    values["NOT_A_FINAL"] = static_cast<int>(DigStatus::not_a_final);
    values["GAVE_UP"] = static_cast<int>(DigStatus::gave_up);
    return values;
}

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
} // namespace sudokumill

NB_MODULE(_kernel, module) {
    using namespace sudokumill;
    // noconvert: an array of another dtype or memory order is refused, not copied behind the caller's back
    module.def("solve", &solve, "puzzles"_a.noconvert(), "limit"_a, "max_nodes"_a.none(), "build"_a,
               "together"_a = kRowsTogether, "threads"_a = 1);
    module.def("search_cover", &search_cover_of_batch, "puzzles"_a.noconvert(), "limit"_a,
               "max_nodes"_a = nb::none());
    module.def("make_finals", &make_finals, "seeds"_a.noconvert(), "uniformity"_a, "build"_a, "threads"_a = 1);
    module.def("dig", &dig_finals, "finals"_a.noconvert(), "seeds"_a.noconvert(), "orbits"_a.noconvert(), "aims"_a,
               "clue_range"_a, "minimal"_a, "build"_a, "threads"_a = 1, "shuffled"_a = true, "row_min"_a = 0,
               "column_min"_a = 0, "blank"_a.noconvert() = nb::none(), "pattern"_a = false, "added"_a = 0);
    module.def("minimal", &minimal, "puzzles"_a.noconvert(), "solutions"_a.noconvert(), "build"_a,
               "threads"_a = 1);
    module.def("canonical_forms", &canonical_forms, "grids"_a.noconvert(), "solutions"_a.noconvert(),
               "threads"_a = 1);
    module.def("grade", &grade, "grids"_a.noconvert(), "effort"_a, "ceiling"_a.none(), "build"_a, "threads"_a = 1);
    module.def("grade_path", &grade_path, "grid"_a.noconvert(), "effort"_a, "ceiling"_a.none(), "build"_a);
    nb::class_<Peer>(module, "Peer")
        .def(nb::init<const std::string&>(), "path"_a)
        .def("solve", &solve_by_peer, "puzzles"_a.noconvert())
        .def("dig", &dig_by_peer, "finals"_a.noconvert(), "seeds"_a.noconvert())
        .def("make_finals", &make_finals_by_peer, "seeds"_a.noconvert());
    nb::list builds;
    for (const Engine* engine : runnable_engines()) {
        builds.append(engine->name);
    }
    module.attr("builds") = nb::tuple(builds);
    module.attr("solve_statuses") = solve_statuses();
    module.attr("dig_statuses") = dig_statuses();
    module.attr("grade_statuses") = grade_statuses();
    module.attr("techniques") = nb::tuple(techniques());
}
