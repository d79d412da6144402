#include "digger.hpp"

#include "cell_search.hpp"
#include "splitmix.hpp"

#include <algorithm>
#include <numeric>

namespace sudokumill {
namespace {

using Orbit = std::vector<std::uint8_t>;

void blank(GridSpan puzzle, const Orbit& orbit) {
    for (const std::uint8_t cell : orbit) {
        puzzle[cell] = 0;
    }
}

void restore(GridSpan puzzle, const Orbit& orbit, GridView final) {
    for (const std::uint8_t cell : orbit) {
        puzzle[cell] = final[cell];
    }
}

/// Whether a puzzle, from which an orbit of its clues was just blanked, still has the final as its only
/// solution.
///
/// Another solution differs in one of the orbit's cells, since with these it was unique. For one cell that is
/// cheaper to ask than to count to two: the final itself need not be found again.
bool is_still_unique(GridView puzzle, const Orbit& orbit, GridView final) {
    if (orbit.size() == 1) {
        return !has_solution_without(puzzle, orbit.front(), final[orbit.front()]);
    }
    return search_cells(puzzle, {.limit = 2}).count == 1;
}

/// Whether no single clue of a unique puzzle can go.
bool is_minimal(GridSpan puzzle) {
    for (int cell = 0; cell < kCells; ++cell) {
        const std::uint8_t digit = puzzle[cell];
        if (digit == 0) {
            continue;
        }
        puzzle[cell] = 0;
        const bool needed = has_solution_without(puzzle, cell, digit);
        puzzle[cell] = digit;
        if (!needed) {
            return false;
        }
    }
    return true;
}

} // namespace

DigStatus dig(GridView final, std::uint64_t seed, const DigOrder& order, GridSpan puzzle) {
    if (!is_final(final)) {
        std::ranges::fill(puzzle, std::uint8_t{0});
        return DigStatus::not_a_final;
    }
    std::ranges::copy(final, puzzle.begin());
    SplitMix64 random(seed);
    const int target = order.targets[random.below(static_cast<int>(order.targets.size()))];
    const int fewest = order.minimal ? 0 : target;
    std::vector<std::uint8_t> turns(order.orbits.size());
    std::iota(turns.begin(), turns.end(), std::uint8_t{0});
    random.shuffle(std::span(turns));

    int clues = kCells;
    for (const std::uint8_t turn : turns) {
        const Orbit& orbit = order.orbits[turn];
        const int size = static_cast<int>(orbit.size());
        if (clues - size < fewest) {
            continue;
        }
        blank(puzzle, orbit);
        if (is_still_unique(puzzle, orbit, final)) {
            clues -= size;
        } else {
            restore(puzzle, orbit, final);
        }
    }
    const bool in_range = order.least <= clues && clues <= order.most;
    return in_range && (!order.minimal || is_minimal(puzzle)) ? DigStatus::dug : DigStatus::missed;
}

} // namespace sudokumill
