// The kernel without Python, to be built with sanitizers: every build of the batch engine against the search over
// the exact cover, on thousands of grids of every kind, and what finals and digs promise. Prints each promise that
// is broken; exit code 1 if any.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "batch/dispatch.hpp"
#include "batch_solver.hpp"
#include "canonical.hpp"
#include "digger.hpp"
#include "exact_cover.hpp"
#include "promises.hpp"
#include "splitmix.hpp"
#include "threads.hpp"

namespace {

using namespace sudokumill;

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

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

/// Solves a batch.
std::vector<SolveOutcome> solve(const Engine& engine, const std::vector<Grid>& grids, const SearchBounds& bounds) {
    const std::size_t rows = grids.size();
    std::vector<std::int64_t> counts(rows);
    std::vector<std::int64_t> nodes(rows);
    std::vector<std::uint8_t> status(rows);
    std::vector<Grid> solutions(rows);
    solve_batch(engine,
                {.puzzles = bytes_of(grids),
                 .rows = rows,
                 .counts = counts.data(),
                 .solutions = bytes_of(solutions),
                 .nodes = nodes.data(),
                 .status = status.data()},
                bounds);
    std::vector<SolveOutcome> outcomes;
    for (std::size_t row = 0; row < rows; ++row) {
        outcomes.push_back({counts[row], nodes[row], static_cast<SolveStatus>(status[row]), solutions[row]});
    }
    return outcomes;
}

bool equal(const SolveOutcome& one, const SolveOutcome& other) {
    return one.count == other.count && one.nodes == other.nodes && one.status == other.status &&
           one.solution == other.solution;
}

/// All builds, whole batches and single rows, and the other solver.
void searches_agree(const std::vector<Grid>& grids) {
    for (const std::int64_t limit : {1, 2, 50}) {
        for (const std::int64_t max_nodes : {kNoBound, std::int64_t{5}}) {
            const SearchBounds bounds{.limit = limit, .max_nodes = max_nodes};
            const std::vector<SolveOutcome> expected = solve(kPortableEngine, grids, bounds);
            for (const Engine* engine : runnable_engines()) {
                const std::vector<SolveOutcome> together = solve(*engine, grids, bounds);
                for (std::size_t row = 0; row < grids.size(); ++row) {
                    expect(equal(together[row], expected[row]), "all builds find the same", row);
                    if (row % 7 == 0) {
                        expect(equal(solve(*engine, {grids[row]}, bounds).front(), expected[row]),
                               "a row alone is as in its batch", row);
                    }
                }
            }
            for (std::size_t row = 0; row < grids.size(); ++row) {
                const SolveOutcome& outcome = expected[row];
                expect(outcome.count == 0 || solves(outcome.solution, grids[row]), "a solution is one", row);
                expect(outcome.nodes <= max_nodes, "no search costs more than its budget", row);
                if (max_nodes == kNoBound) {
                    const SolveOutcome cover = search_cover(grids[row], {.limit = limit});
                    expect(outcome.count == cover.count, "both searches count the same", row);
                    expect(outcome.status == cover.status, "both searches say the same", row);
                }
            }
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

std::vector<Grid> dig(const Engine& engine, const std::vector<Grid>& finals,
                      const std::vector<std::uint64_t>& seeds, const DigOrder& order, DigStatus wanted) {
    std::vector<Grid> puzzles(finals.size());
    std::vector<std::uint8_t> status(finals.size());
    dig_batch(engine,
              {.finals = bytes_of(finals),
               .seeds = seeds.data(),
               .rows = finals.size(),
               .puzzles = bytes_of(puzzles),
               .status = status.data()},
              order, nullptr);
    for (std::size_t row = 0; row < finals.size(); ++row) {
        const int clues = clue_count(puzzles[row]);
        const bool in_range = clues >= order.least && clues <= order.most;
        expect(status[row] == static_cast<int>(in_range ? wanted : DigStatus::missed), "a dig has its status",
               row);
    }
    return puzzles;
}

void a_line_keeps_its_promises() {
    std::vector<std::uint64_t> seeds;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        seeds.push_back(seed);
    }
    const std::vector<Grid> finals = make_finals(kPortableEngine, seeds);
    const std::vector<Grid> puzzles = dig(kPortableEngine, finals, seeds, single_cells(true), DigStatus::dug);
    const std::vector<Grid> turned = dig(kPortableEngine, finals, seeds, half_turns(), DigStatus::dug);
    DigOrder with_lines = half_turns();
    with_lines.shuffled = false;
    with_lines.row_min = 2;
    with_lines.column_min = 2;
    with_lines.blank[40] = true;
    with_lines.aims = {30};
    const std::vector<Grid> lined = dig(kPortableEngine, finals, seeds, with_lines, DigStatus::dug);
    DigOrder pattern = single_cells(false);
    pattern.pattern = true;
    pattern.blank = CellSet{7}; // three cells of a row, which its columns tell
    const std::vector<Grid> patterned = dig(kPortableEngine, finals, seeds, pattern, DigStatus::dug);
    DigOrder hopeless = pattern;
    hopeless.blank = ~CellSet{0xFFFF}; // 16 clues
    for (const Engine* engine : runnable_engines()) {
        expect(dig(*engine, finals, seeds, with_lines, DigStatus::dug) == lined,
               "all builds dig the same with least clues per line");
        expect(dig(*engine, finals, seeds, pattern, DigStatus::dug) == patterned,
               "all builds dig the same patterns");
        expect(dig(*engine, finals, seeds, hopeless, DigStatus::missed) == std::vector<Grid>(finals.size()),
               "of a pattern with several solutions nothing is left");
        expect(make_finals(*engine, seeds) == finals, "all builds make the same finals");
        expect(dig(*engine, finals, seeds, single_cells(true), DigStatus::dug) == puzzles,
               "all builds dig the same");
        expect(dig(*engine, finals, seeds, half_turns(), DigStatus::dug) == turned,
               "all builds dig the same orbits");
    }
    std::vector<Grid> grids(1); // the blank one
    for (const std::uint64_t seed : seeds) {
        expect(sudokumill::is_final(finals[seed]), "a final is one", seed);
        const Grid& puzzle = puzzles[seed];
        expect(search_cover(puzzle, {}).solution == finals[seed], "a puzzle's solution is its final", seed);
        for (int cell = 0; cell < kCells; ++cell) {
            Grid fewer = puzzle;
            fewer[cell] = 0;
            const bool unique = search_cover(fewer, {}).status == SolveStatus::unique;
            expect(unique == (puzzle[cell] == 0), "a puzzle is unique and minimal", seed);
            expect((turned[seed][cell] == 0) == (turned[seed][80 - cell] == 0), "an orbit goes together", seed);
        }
        expect(search_cover(turned[seed], {}).status == SolveStatus::unique, "a symmetric puzzle is unique", seed);
        for (std::uint64_t variation = 0; variation < 10; ++variation) {
            grids.push_back(spoiled(puzzle, seed * 10 + variation));
        }
    }
    searches_agree(grids);
}

/// A check that throws ends a search that would not end, and is asked again and again until then.
void a_search_can_be_stopped() {
    int asked = 0;
    const StopCheck stop_at_the_third = [&asked] {
        if (++asked == 3) {
            throw asked;
        }
    };
    const SearchBounds bounds{.limit = 1'000'000'000, .stop_check = &stop_at_the_third};
    const auto ends = [&](auto search) {
        asked = 0;
        try {
            search();
        } catch (int) {
            return asked == 3;
        }
        return false;
    };
    expect(ends([&] { search_cover(Grid{}, bounds); }), "a search ends when it is told to");
    for (const Engine* engine : runnable_engines()) {
        expect(ends([&] { solve(*engine, std::vector<Grid>(1), bounds); }), "a single search ends when told to");
        expect(ends([&] { solve(*engine, std::vector<Grid>(40), bounds); }), "a batch ends when it is told to");
    }
}

void solve_batch_forever(const Engine& engine, const StopCheck& stop_check) {
    solve(engine, std::vector<Grid>(40), {.limit = kNoBound, .stop_check = &stop_check});
}

/// Several threads find what one does, and what one of them throws ends all.
void threads_agree() {
    std::vector<std::uint64_t> seeds(60);
    for (std::size_t row = 0; row < seeds.size(); ++row) {
        seeds[row] = row;
    }
    const StopCheck nothing = [] {};
    for (const Engine* engine : runnable_engines()) {
        const std::vector<Grid> expected = make_finals(*engine, seeds);
        std::vector<Grid> finals(seeds.size());
        in_threads(seeds.size(), 3, nothing,
                   [&](std::size_t first, std::size_t rows, const StopCheck& stop_check) {
                       engine->make_finals({.seeds = seeds.data() + first,
                                            .rows = rows,
                                            .uniformity = 13,
                                            .finals = finals[first].data(),
                                            .pause = pause_of(&stop_check)});
                   });
        expect(finals == expected, "threads make the same finals");
        for (const std::size_t failing : {0, 2}) {
            bool thrown = false;
            try {
                in_threads(3, 3, nothing, [&](std::size_t first, std::size_t, const StopCheck& stop_check) {
                    if (first == failing) {
                        throw failing;
                    }
                    solve_batch_forever(*engine, stop_check);
                });
            } catch (std::size_t which) {
                thrown = which == failing;
            }
            expect(thrown, "what a thread throws ends all");
        }
    }
}

void isomorphs_have_one_form() {
    std::vector<std::uint64_t> seeds;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        seeds.push_back(seed);
    }
    std::vector<Grid> finals = make_finals(kPortableEngine, seeds);
    finals[0] = most_alike_final();
    for (const Grid& final : finals) {
        SplitMix64 random(final[0]);
        Grid puzzle = final;
        for (std::uint8_t& clue : puzzle) {
            clue = random.below(3) == 0 ? clue : 0;
        }
        Grid form;
        Grid other;
        expect(canonical_form(puzzle, final, form), "a puzzle has a form");
        canonical_form(turned_and_relabelled(puzzle), turned_and_relabelled(final), other);
        expect(form == other, "isomorphs have one form");
        expect(clue_count(form) == clue_count(puzzle), "a form has the clues of its puzzle");
        expect(!canonical_form(final, puzzle, form) && form == Grid{}, "what is no final is no solution");
    }
}

void extremes() {
    Grid high{};
    high[80] = 255;
    Grid puzzle;
    puzzle.fill(7);
    for (const Engine* engine : runnable_engines()) {
        for (const std::size_t rows : {1, 40}) {
            for (const SolveOutcome& outcome : solve(*engine, std::vector<Grid>(rows, high), {})) {
                expect(outcome.status == SolveStatus::clash, "a number above 9 is a clash");
            }
        }
        const std::uint64_t seed = 0;
        std::uint8_t status = 0;
        dig_batch(*engine,
                  {.finals = high.data(), .seeds = &seed, .rows = 1, .puzzles = puzzle.data(), .status = &status},
                  single_cells(false), nullptr);
        expect(status == static_cast<int>(DigStatus::not_a_final), "no final, no dig");
        expect(puzzle == Grid{}, "a row that is no final gives zeros");
        solve(*engine, {}, {});
    }
}

} // namespace

int main() {
    extremes();
    a_search_can_be_stopped();
    threads_agree();
    isomorphs_have_one_form();
    a_line_keeps_its_promises();
    return broken_promises == 0 ? 0 : 1;
}
