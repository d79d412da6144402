#include "grade_batch.hpp"

#include <vector>

#include "../batch_solver.hpp"
#include "../grid.hpp"

namespace sudokumill::explainer {
namespace {

GradeStatus status_of(SolveStatus found, GridView grid) {
    switch (found) {
    case SolveStatus::clash:
        return GradeStatus::clash;
    case SolveStatus::no_solution:
        return GradeStatus::no_solution;
    case SolveStatus::unique:
        return clue_count(grid) == kCells ? GradeStatus::complete : GradeStatus::graded;
    default: // two were sought, without a bound on the nodes
        return GradeStatus::not_unique;
    }
}

/// What a solver says of a batch.
struct Looked {
    std::vector<GradeStatus> statuses; // graded: the row is a puzzle
    std::vector<std::uint8_t> solutions;

    GridView solution(std::size_t row) const { return GridView(solutions.data() + kCells * row, kCells); }
};

Looked look_at(const Engine& engine, const std::uint8_t* grids, std::size_t rows, const StopCheck* stop_check) {
    Looked looked{.statuses = {}, .solutions = std::vector<std::uint8_t>(kCells * rows)};
    std::vector<std::int64_t> counts(rows);
    std::vector<std::int64_t> nodes(rows);
    std::vector<std::uint8_t> found(rows);
    solve_batch(engine,
                {.puzzles = grids,
                 .rows = rows,
                 .counts = counts.data(),
                 .solutions = looked.solutions.data(),
                 .nodes = nodes.data(),
                 .status = found.data()},
                {.limit = 2, .stop_check = stop_check});
    looked.statuses.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const GridView grid(grids + kCells * row, kCells);
        looked.statuses.push_back(status_of(static_cast<SolveStatus>(found[row]), grid));
    }
    return looked;
}

} // namespace

void grade_batch(const Engine& engine, const GradeRows& batch, const GradeBounds& bounds) {
    const Looked looked = look_at(engine, batch.grids, batch.rows, bounds.stop_check);
    Grader grader;
    for (std::size_t row = 0; row < batch.rows; ++row) {
        const GridView grid(batch.grids + kCells * row, kCells);
        batch.grades[row] = looked.statuses[row] == GradeStatus::graded
                                ? grader.grade(grid, looked.solution(row), bounds)
                                : Grade{.status = looked.statuses[row]};
        if (bounds.stop_check != nullptr) {
            (*bounds.stop_check)();
        }
    }
}

std::vector<PathStep> find_path(const Engine& engine, GridView grid, const GradeBounds& bounds) {
    std::vector<PathStep> path;
    const Looked looked = look_at(engine, grid.data(), 1, bounds.stop_check);
    if (looked.statuses.front() == GradeStatus::graded) {
        Grader().grade(grid, looked.solution(0), bounds, &path);
    }
    return path;
}

} // namespace sudokumill::explainer
