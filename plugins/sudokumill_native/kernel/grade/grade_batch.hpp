// Grades of a batch of grids, whatever they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../batch/engine.hpp"
#include "grader.hpp"

namespace sudokumill::explainer {

/// A batch, and where its grades go; row by row.
struct GradeRows {
    const std::uint8_t* grids; // 81 digits a row
    std::size_t rows;
    Grade* grades; // what has no grade has nothing but its status
};

/// Grades each row that is a puzzle, and says of the others why they are none.
///
/// Args:
///     engine: counts the solutions, two at most.
void grade_batch(const Engine& engine, const GradeRows& batch, const GradeBounds& bounds);

/// The steps that grading one row takes; none if it is no puzzle.
std::vector<PathStep> find_path(const Engine& engine, GridView grid, const GradeBounds& bounds);

} // namespace sudokumill::explainer
