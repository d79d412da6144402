// The kernel without Python, to be built with sanitizers: the two searches against each other on thousands of
// grids of every kind, and what finals and digs promise. Prints each promise that is broken; exit code 1 if any.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <vector>

#include "cell_search.hpp"
#include "digger.hpp"
#include "exact_cover.hpp"
#include "finals.hpp"
#include "splitmix.hpp"

namespace {

using namespace sudokumill;

int broken = 0;

void expect(bool kept, const char* promise, std::uint64_t seed = 0) {
    if (!kept) {
        std::printf("broken: %s (seed %llu)\n", promise, static_cast<unsigned long long>(seed));
        ++broken;
    }
}

DigOrder single_cells(bool minimal) {
    DigOrder order{.orbits = {}, .aims = {0}, .minimal = minimal};
    for (std::uint8_t cell = 0; cell < kCells; ++cell) {
        order.orbits.push_back({cell});
    }
    return order;
}

DigOrder half_turns() {
    DigOrder order{.orbits = {}, .aims = {30, 34}, .least = 30, .most = 34};
    for (std::uint8_t cell = 0; cell < 40; ++cell) {
        order.orbits.push_back({cell, static_cast<std::uint8_t>(80 - cell)});
    }
    order.orbits.push_back({40});
    return order;
}

/// Whether a solution is a final that keeps the clues.
bool solves(GridView solution, GridView puzzle) {
    for (int cell = 0; cell < kCells; ++cell) {
        if (puzzle[cell] != 0 && puzzle[cell] != solution[cell]) {
            return false;
        }
    }
    return sudokumill::is_final(solution);
}

void searches_agree(GridView puzzle, std::uint64_t seed) {
    for (const std::int64_t limit : {1, 2, 50}) {
        const SolveOutcome cells = search_cells(puzzle, {.limit = limit});
        const SolveOutcome cover = search_cover(puzzle, {.limit = limit});
        expect(cells.count == cover.count, "both searches count the same", seed);
        expect(cells.status == cover.status, "both searches say the same", seed);
        expect(cells.count <= limit, "no search counts beyond its limit", seed);
        for (const SolveOutcome& outcome : {cells, cover}) {
            expect(outcome.count == 0 || solves(outcome.solution, puzzle), "a solution is one", seed);
        }
    }
}

void budgets_hold(GridView puzzle, std::uint64_t seed) {
    for (const auto search : {search_cells, search_cover}) {
        const SolveOutcome whole = search(puzzle, {.limit = 50});
        for (const std::int64_t max_nodes : {1, 2, 5}) {
            const SolveOutcome outcome = search(puzzle, {.limit = 50, .max_nodes = max_nodes});
            expect(outcome.nodes <= max_nodes, "no search costs more than its budget", seed);
            expect(outcome.count <= whole.count, "a count that was given up is a lower bound", seed);
            expect((outcome.status == SolveStatus::gave_up) == (whole.nodes > max_nodes),
                   "a search gives up if and only if its budget is too small", seed);
        }
    }
}

/// A puzzle with some clues changed or taken away: one, several or no solutions, or a clash.
Grid spoiled(Grid puzzle, std::uint64_t seed) {
    SplitMix64 random(seed);
    for (int changes = random.below(4); changes >= 0; --changes) {
        std::uint8_t& clue = puzzle[random.below(kCells)];
        clue = static_cast<std::uint8_t>(clue == 0 ? 0 : random.below(11));
    }
    return puzzle;
}

void a_row_keeps_its_promises(std::uint64_t seed) {
    const Grid final = make_final(seed);
    expect(sudokumill::is_final(final), "a final is one", seed);
    expect(final == make_final(seed), "the same seed gives the same final", seed);

    Grid puzzle;
    expect(dig(final, seed, single_cells(true), puzzle) == DigStatus::dug, "a dig to the end succeeds", seed);
    expect(search_cover(puzzle, {}).solution == final, "a puzzle's solution is its final", seed);
    for (int cell = 0; cell < kCells; ++cell) {
        Grid fewer = puzzle;
        fewer[cell] = 0;
        const bool unique = search_cover(fewer, {}).status == SolveStatus::unique;
        expect(unique == (puzzle[cell] == 0), "a puzzle is unique and minimal", seed);
    }

    Grid turned;
    const DigStatus became = dig(final, seed, half_turns(), turned);
    const int clues = clue_count(turned);
    expect((became == DigStatus::dug) == (clues >= 30 && clues <= 34), "dug means in the range", seed);
    expect(search_cover(turned, {}).status == SolveStatus::unique, "a symmetric puzzle is unique", seed);
    for (int cell = 0; cell < kCells; ++cell) {
        expect((turned[cell] == 0) == (turned[80 - cell] == 0), "an orbit goes together", seed);
    }

    for (std::uint64_t variation = 0; variation < 10; ++variation) {
        const Grid grid = spoiled(puzzle, seed * 10 + variation);
        searches_agree(grid, seed);
        budgets_hold(grid, seed);
    }
}

/// A check that throws ends a search that would not end, and is asked again and again until then.
void a_search_can_be_stopped() {
    for (const auto search : {search_cells, search_cover}) {
        int asked = 0;
        const StopCheck stop_at_the_third = [&asked] {
            if (++asked == 3) {
                throw asked;
            }
        };
        bool stopped = false;
        try {
            search(Grid{}, {.limit = 1'000'000'000, .stop_check = &stop_at_the_third});
        } catch (int) {
            stopped = true;
        }
        expect(stopped && asked == 3, "a search ends when it is told to");
    }
}

void extremes() {
    const Grid empty{};
    searches_agree(empty, 0);
    budgets_hold(empty, 0);
    Grid high{};
    high[80] = 255;
    expect(search_cells(high, {}).status == SolveStatus::clash, "a number above 9 is a clash");
    expect(search_cover(high, {}).status == SolveStatus::clash, "a number above 9 is a clash");
    Grid puzzle;
    puzzle.fill(7);
    expect(dig(high, 0, single_cells(false), puzzle) == DigStatus::not_a_final, "no final, no dig");
    expect(puzzle == empty, "a row that is no final gives zeros");
}

} // namespace

int main() {
    extremes();
    a_search_can_be_stopped();
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        a_row_keeps_its_promises(seed);
    }
    return broken == 0 ? 0 : 1;
}
