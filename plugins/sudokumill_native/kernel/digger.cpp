#include "digger.hpp"

#include <algorithm>
#include <span>

#include "cell_search.hpp"
#include "splitmix.hpp"

namespace sudokumill {
namespace {

using Orbit = std::vector<std::uint8_t>;

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

/// Blanks an orbit if the puzzle stays unique, else leaves it as it was.
bool try_to_dig(GridSpan puzzle, const Orbit& orbit, GridView final) {
    for (const std::uint8_t cell : orbit) {
        puzzle[cell] = 0;
    }
    const bool unique = is_still_unique(puzzle, orbit, final);
    if (!unique) {
        for (const std::uint8_t cell : orbit) {
            puzzle[cell] = final[cell];
        }
    }
    return unique;
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

/// The one orbit with an odd number of cells (the centre, under a rotation), or null if there are several.
///
///     a b c | . . .      Under a half turn, 41 orbits: 40 pairs and the centre. Whether it goes decides whether
///     . . . | . . .      the number of clues is odd, so an order for 30 clues cannot be met with it, nor one for
///     ------+------      31 without it.
///     . . . | c b a
const Orbit* only_odd_orbit(const std::vector<Orbit>& orbits) {
    const auto is_odd = [](const Orbit& orbit) { return orbit.size() % 2 == 1; };
    return std::ranges::count_if(orbits, is_odd) == 1 ? &*std::ranges::find_if(orbits, is_odd) : nullptr;
}

} // namespace

DigStatus dig(GridView final, std::uint64_t seed, const DigOrder& order, GridSpan puzzle) {
    if (!is_final(final)) {
        std::ranges::fill(puzzle, std::uint8_t{0});
        return DigStatus::not_a_final;
    }
    std::ranges::copy(final, puzzle.begin());
    SplitMix64 random(seed);
    const int aim = order.aims[random.below(static_cast<int>(order.aims.size()))];
    const int fewest = order.minimal ? 0 : aim;
    std::vector<const Orbit*> turns;
    for (const Orbit& orbit : order.orbits) {
        turns.push_back(&orbit);
    }
    random.shuffle(std::span(turns));

    // With an aim, the orbit that decides odd or even goes at once, which a final always allows, or never.
    if (const Orbit* odd = fewest > 0 ? only_odd_orbit(order.orbits) : nullptr; odd != nullptr) {
        const auto turn = std::ranges::find(turns, odd);
        if ((kCells - fewest) % 2 == 1) {
            std::rotate(turns.begin(), turn, turn + 1);
        } else {
            turns.erase(turn);
        }
    }
    int clues = kCells;
    for (const Orbit* orbit : turns) {
        const int size = static_cast<int>(orbit->size());
        if (clues - size >= fewest && try_to_dig(puzzle, *orbit, final)) {
            clues -= size;
        }
    }
    const bool in_range = order.least <= clues && clues <= order.most;
    return in_range && (!order.minimal || is_minimal(puzzle)) ? DigStatus::dug : DigStatus::missed;
}

} // namespace sudokumill
