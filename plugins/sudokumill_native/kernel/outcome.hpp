// What a solver is asked, and what it answers. Shared by both solvers, which share nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "batch/engine.hpp"
#include "grid.hpp"

namespace sudokumill {

/// The values of sudokumill.contracts.SolveStatus.
enum class SolveStatus : std::uint8_t {
    unique = 0,
    several = 1,
    no_solution = 2,
    clash = 3,
    gave_up = 4,
    solvable = 5,
};

/// Asked now and then by what takes long; it throws to end it.
using StopCheck = std::function<void()>;

/// The same for code that knows no std::function.
inline Pause pause_of(const StopCheck* stop_check) {
    return {.call =
                [](void* check) {
                    if (check != nullptr) {
                        (*static_cast<const StopCheck*>(check))();
                    }
                },
            .context = const_cast<StopCheck*>(stop_check)};
}

/// Where a search stops.
struct SearchBounds {
    std::int64_t limit = 2;                                            // solutions, 1 or more
    std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max(); // placements tried, not deduced
    const StopCheck* stop_check = nullptr;                             // none: the search goes on to its end

    /// Asks at every 65,536th node, which is several times a second.
    void ask_at(std::int64_t nodes) const {
        if ((nodes & 0xFFFF) == 0 && stop_check != nullptr) {
            (*stop_check)();
        }
    }
};

/// What a search found.
struct SolveOutcome {
    std::int64_t count = 0;
    std::int64_t nodes = 0;
    SolveStatus status = SolveStatus::no_solution;
    Grid solution{}; // the first one found, zeros when there is none
};

/// The status of a search that ended with so many solutions.
///
/// A search that has reached its limit is over, and cannot run out of nodes any more. So a count below the limit
/// is exact, unless the budget ran out.
constexpr SolveStatus status_of(std::int64_t count, std::int64_t limit, bool ran_out) {
    if (ran_out) {
        return SolveStatus::gave_up;
    }
    if (count == 0) {
        return SolveStatus::no_solution;
    }
    if (count > 1) {
        return SolveStatus::several;
    }
    return limit == 1 ? SolveStatus::solvable : SolveStatus::unique;
}

} // namespace sudokumill
