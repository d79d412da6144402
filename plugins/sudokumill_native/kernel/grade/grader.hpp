// Grader "explainer": solves a puzzle by the ladder, and says what that took.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "../outcome.hpp"
#include "chains/chain_memory.hpp"
#include "chains/implications.hpp"
#include "hint.hpp"
#include "technique.hpp"

namespace sudokumill::explainer {

/// The values of sudokumill.contracts.GradeStatus.
enum class GradeStatus : std::uint8_t {
    graded = 0,
    not_unique = 1,
    no_solution = 2,
    clash = 3,
    complete = 4,
    gave_up = 5,
    above = 6,
};

/// Where grading ends before the puzzle is solved.
struct GradeBounds {
    std::uint64_t effort;                  // units of a budget
    Tenths ceiling = kNoCeiling;           // it ends where a step surely has a higher rating
    const StopCheck* stop_check = nullptr; // none: it goes on to its end

    static constexpr Tenths kNoCeiling = 65535;
};

/// What is said of a puzzle. A step is a hint of the path.
struct Grade {
    GradeStatus status = GradeStatus::graded;
    Tenths er = 0; // the highest rating; if grading ended before the solution, the rating is this or higher
    Tenths ep = 0; // the highest up to and including the first placement; 0: it was not reached
    Tenths ed = 0; // of the first step; 0: there is none
    Technique hardest = Technique::hidden_single_last; // the first of those with the highest rating of a step
    std::uint32_t steps = 0;
    std::uint32_t rating_sum = 0; // tenths
    std::uint32_t bottleneck = 0; // see Grader; 0: nothing was placed
    std::array<std::uint16_t, kTechniques> counts{};
};

/// A hint of the path, with the chains that it is made of.
struct PathStep {
    Hint hint;
    std::vector<chains::Chain> chains; // none of what is no chain
};

/// Grades one puzzle after the other; one for each thread.
///
/// At each step the first rung of the ladder that finds anything gives all its hints of the lowest rating, and all
/// of them are applied. The classic program applies the first that it meets, which depends on how the grid is
/// turned; the set of all does not. What each of them does was true before any of them, so it is true after.
///
/// The bottleneck is the smallest number of cells that there were to choose from whenever a digit was placed:
/// those that hidden and naked singles place, or if there were none, those of the step's own hints. It is no
/// longer looked for once every blank cell can be filled at once.
class Grader {
  public:
    Grader();

    /// Grades a puzzle that has a blank.
    ///
    /// Args:
    ///     solution: the only one of the puzzle.
    ///     path: gets the steps; nullptr: they are not kept.
    Grade grade(GridView puzzle, GridView solution, const GradeBounds& bounds,
                std::vector<PathStep>* path = nullptr);

  private:
    HintSink hints_;
    OwnedChainMemory chain_memory_;
};

} // namespace sudokumill::explainer
