// What libFuzzer calls again and again: bytes become a batch and an order, and what the kernel makes of them must
// keep its promises, by every build that the machine can run. A promise that is broken is printed, and ends it.
//
// fuzz_kernel.py builds and runs this.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include "batch/dispatch.hpp"
#include "batch_solver.hpp"
#include "canonical.hpp"
#include "digger.hpp"
#include "exact_cover.hpp"
#include "grade/grade_batch.hpp"

namespace {

using namespace sudokumill;

void expect(bool kept, const char* promise) {
    if (!kept) {
        std::fprintf(stderr, "broken: %s\n", promise);
        std::abort();
    }
}

/// Numbers from bytes; zeros when these are used up.
class Bytes {
  public:
    explicit Bytes(std::span<const std::uint8_t> bytes) : left_(bytes) {}

    std::uint8_t next() {
        if (left_.empty()) {
            return 0;
        }
        const std::uint8_t byte = left_.front();
        left_ = left_.subspan(1);
        return byte;
    }
    int below(int bound) { return next() % bound; }
    bool empty() const { return left_.empty(); }

    template <typename T, std::size_t n> T one_of(const T (&choices)[n]) { return choices[below(n)]; }

  private:
    std::span<const std::uint8_t> left_;
};

const std::uint8_t* bytes_of(const std::vector<Grid>& grids) { return grids.front().data(); }
std::uint8_t* bytes_of(std::vector<Grid>& grids) { return grids.front().data(); }

std::vector<Grid> make_finals(const Engine& engine, const std::vector<std::uint64_t>& seeds, int uniformity) {
    std::vector<Grid> finals(seeds.size());
    engine.make_finals({.seeds = seeds.data(),
                        .rows = seeds.size(),
                        .uniformity = uniformity,
                        .finals = bytes_of(finals),
                        .pause = {}});
    return finals;
}

/// Rows of a few finals, which all builds make alike.
std::vector<Grid> some_finals(Bytes& bytes, int rows) {
    std::vector<std::uint64_t> seeds;
    for (int left = 1 + bytes.below(3); left > 0; --left) {
        seeds.push_back(bytes.next() * 0x0101010101010101ULL);
    }
    const int uniformity = 11 + bytes.below(3);
    std::vector<Grid> finals = make_finals(kPortableEngine, seeds, uniformity);
    for (const Engine* engine : runnable_engines()) {
        expect(make_finals(*engine, seeds, uniformity) == finals, "all builds make the same finals");
    }
    for (int row = 0; row < rows; ++row) {
        const Grid final = finals[row];
        expect(is_final(final), "a final is one");
        finals.push_back(final);
    }
    finals.resize(rows);
    return finals;
}

/// Changes cells, also to numbers that are none.
void spoil(Grid& grid, Bytes& bytes) {
    for (int changes = bytes.below(6); changes > 0; --changes) {
        const int cell = bytes.below(kCells);
        grid[cell] = bytes.next();
    }
}

/// Takes clues away: those whose bits are set.
void blank(Grid& grid, Bytes& bytes) {
    for (int cell = 0; cell < kCells; cell += 8) {
        const std::uint8_t mask = bytes.next();
        for (int i = 0; i < 8 && cell + i < kCells; ++i) {
            grid[cell + i] = (mask >> i & 1) != 0 ? 0 : grid[cell + i];
        }
    }
}

struct Solved {
    std::vector<std::int64_t> counts, nodes;
    std::vector<std::uint8_t> status;
    std::vector<Grid> solutions;

    bool operator==(const Solved&) const = default;
};

Solved solve(const Engine& engine, const std::vector<Grid>& grids, const SearchBounds& bounds,
             std::size_t together) {
    const std::size_t rows = grids.size();
    Solved found{std::vector<std::int64_t>(rows), std::vector<std::int64_t>(rows), std::vector<std::uint8_t>(rows),
                 std::vector<Grid>(rows)};
    solve_batch(engine,
                {.puzzles = bytes_of(grids),
                 .rows = rows,
                 .counts = found.counts.data(),
                 .solutions = bytes_of(found.solutions),
                 .nodes = found.nodes.data(),
                 .status = found.status.data()},
                bounds, together);
    return found;
}

SolveOutcome solve_one(const Grid& grid) {
    const Solved found = solve(kPortableEngine, {grid}, {}, 1);
    return {found.counts[0], found.nodes[0], SolveStatus{found.status[0]}, found.solutions[0]};
}

bool solves(const Grid& solution, const Grid& puzzle) {
    return is_final(solution) && std::equal(puzzle.begin(), puzzle.end(), solution.begin(),
                                            [](int clue, int digit) { return clue == 0 || clue == digit; });
}

/// So many that the slowest of all searches ends in time.
constexpr std::int64_t kManyNodes = 3000;

void check_solving(const std::vector<Grid>& grids, Bytes& bytes) {
    constexpr std::int64_t limits[] = {2, 1, 3, 40};
    constexpr std::int64_t budgets[] = {kManyNodes, 1, 6, 30};
    constexpr std::size_t at_a_time[] = {kRowsTogether, 7, 1};
    const SearchBounds bounds{.limit = bytes.one_of(limits), .max_nodes = bytes.one_of(budgets)};
    const Solved expected = solve(kPortableEngine, grids, bounds, 1);
    const std::size_t together = bytes.one_of(at_a_time);
    for (const Engine* engine : runnable_engines()) {
        expect(solve(*engine, grids, bounds, together) == expected, "all builds find the same in every batch");
    }
    for (std::size_t row = 0; row < grids.size(); ++row) {
        const std::int64_t count = expected.counts[row];
        const SolveStatus status{expected.status[row]};
        expect(count <= bounds.limit, "no count is above the limit");
        expect(expected.nodes[row] <= bounds.max_nodes, "no search costs more than its budget");
        expect(count == 0 ? expected.solutions[row] == Grid{} : solves(expected.solutions[row], grids[row]),
               "a solution is one, and zeros where there is none");
        const SolveOutcome cover = search_cover(grids[row], {.limit = bounds.limit, .max_nodes = kManyNodes});
        if (status != SolveStatus::gave_up && cover.status != SolveStatus::gave_up) {
            expect(count == cover.count && status == cover.status, "both searches find the same");
        }
    }
}

DigOrder some_order(Bytes& bytes) {
    DigOrder order;
    const int orbits = 1 + bytes.below(kCells);
    order.orbits.resize(orbits);
    for (int cell = 0; cell < kCells; ++cell) {
        order.orbits[orbits == kCells ? cell : bytes.below(orbits)].push_back(static_cast<std::uint8_t>(cell));
    }
    std::erase_if(order.orbits, [](const auto& orbit) { return orbit.empty(); });
    for (int aims = 1 + bytes.below(3); aims > 0; --aims) {
        order.aims.push_back(bytes.below(kCells + 1));
    }
    order.least = bytes.below(kCells + 1);
    order.most = bytes.below(kCells + 1);
    order.minimal = bytes.below(2) == 1;
    order.shuffled = bytes.below(4) != 1;
    order.row_min = std::max(0, bytes.below(20) - 10);
    order.column_min = std::max(0, bytes.below(20) - 10);
    for (int cells = bytes.below(20); cells > 0; --cells) {
        order.blank.set(bytes.below(kCells));
    }
    order.pattern = bytes.below(8) == 1;
    return order;
}

struct Dug {
    std::vector<Grid> puzzles;
    std::vector<std::uint8_t> status;

    bool operator==(const Dug&) const = default;
};

Dug dig(const Engine& engine, const std::vector<Grid>& finals, const std::vector<std::uint64_t>& seeds,
        const DigOrder& order) {
    Dug dug{std::vector<Grid>(finals.size()), std::vector<std::uint8_t>(finals.size())};
    dig_batch(engine,
              {.finals = bytes_of(finals),
               .seeds = seeds.data(),
               .rows = finals.size(),
               .puzzles = bytes_of(dug.puzzles),
               .status = dug.status.data()},
              order, nullptr);
    return dug;
}

void check_digging(const std::vector<Grid>& finals, Bytes& bytes) {
    std::vector<std::uint64_t> seeds;
    for (std::size_t row = 0; row < finals.size(); ++row) {
        seeds.push_back(bytes.next());
    }
    const DigOrder order = some_order(bytes);
    const Dug expected = dig(kPortableEngine, finals, seeds, order);
    for (const Engine* engine : runnable_engines()) {
        expect(dig(*engine, finals, seeds, order) == expected, "all builds dig the same");
    }
    for (std::size_t row = 0; row < finals.size(); ++row) {
        const Grid& puzzle = expected.puzzles[row];
        const DigStatus status{expected.status[row]};
        expect((status == DigStatus::not_a_final) == !is_final(finals[row]), "what is no final is said");
        if (status == DigStatus::dug || puzzle != Grid{}) {
            const SolveOutcome cover = search_cover(puzzle, {.limit = 2});
            expect(cover.status == SolveStatus::unique && cover.solution == finals[row],
                   "a puzzle has its final as its only solution");
        }
        if (status == DigStatus::dug) {
            expect(clue_count(puzzle) >= order.least && clue_count(puzzle) <= order.most,
                   "a puzzle that is called dug is in the range");
        }
    }
}

explainer::Grade grade(const Engine& engine, const Grid& grid, const explainer::GradeBounds& bounds) {
    explainer::Grade grade;
    explainer::grade_batch(engine, {.grids = grid.data(), .rows = 1, .grades = &grade}, bounds);
    return grade;
}

bool equal(const explainer::Grade& one, const explainer::Grade& other) {
    return one.status == other.status && one.er == other.er && one.ep == other.ep && one.ed == other.ed &&
           one.hardest == other.hardest && one.steps == other.steps && one.rating_sum == other.rating_sum &&
           one.bottleneck == other.bottleneck && one.counts == other.counts;
}

/// Rows and columns of a band or stack moved on, perhaps transposed, the digits moved on.
Grid turned(const Grid& grid, int band, bool transposed, int by) {
    Grid image;
    for (int cell = 0; cell < kCells; ++cell) {
        const auto moved = [&](int line) { return line / 3 == band ? 3 * band + (line + 1) % 3 : line; };
        const int row = moved(row_of(cell));
        const int column = (moved(column_of(cell)) + 3) % 9;
        const std::uint8_t digit = grid[transposed ? 9 * column + row : 9 * row + column];
        image[cell] = static_cast<std::uint8_t>(digit == 0 ? 0 : (digit + by) % 9 + 1);
    }
    return image;
}

/// A path keeps the solution, and ends there if it is that of a whole grade.
void check_path(const Grid& grid, const Grid& solution, const explainer::Grade& grade,
                const explainer::GradeBounds& bounds) {
    Grid values = grid;
    std::uint32_t steps = 0;
    for (const explainer::PathStep& step : explainer::find_path(kPortableEngine, grid, bounds)) {
        const explainer::Hint& hint = step.hint;
        ++steps;
        if (hint.placed_cell >= 0) {
            expect(solution[hint.placed_cell] == hint.placed_digit + 1, "a digit is placed where it belongs");
            values[hint.placed_cell] = solution[hint.placed_cell];
        }
        for (int digit = 0; digit < kDigits; ++digit) {
            explainer::for_each_cell(hint.eliminations[digit], [&](int cell) {
                expect(grid[cell] == 0 && solution[cell] != digit + 1, "the solution loses no candidate");
            });
        }
    }
    expect(steps == grade.steps, "a path has the steps that are counted");
    expect(values == solution || grade.status != explainer::GradeStatus::graded, "a path ends at the solution");
}

void check_grading(const std::vector<Grid>& grids, Bytes& bytes) {
    using explainer::GradeStatus;
    constexpr std::uint64_t efforts[] = {3'000, 1, 100, 20'000};
    const explainer::GradeBounds bounds{.effort = bytes.one_of(efforts)};
    explainer::GradeBounds below = bounds;
    below.ceiling = static_cast<explainer::Tenths>(10 + bytes.below(100));
    const Engine& engine = *runnable_engines()[bytes.below(static_cast<int>(runnable_engines().size()))];
    const int band = bytes.below(3);
    const bool transposed = bytes.below(2) == 1;
    const int by = bytes.below(9);
    for (const Grid& grid : grids) {
        const SolveOutcome outcome = solve_one(grid);
        const explainer::Grade known = grade(kPortableEngine, grid, bounds);
        const bool is_puzzle = outcome.status == SolveStatus::unique && clue_count(grid) < kCells;
        const bool has_steps = known.status == GradeStatus::graded || known.status == GradeStatus::gave_up;
        expect(is_puzzle == has_steps, "puzzles are graded, and nothing else");
        Grid form;
        expect(canonical_form(grid, outcome.solution, form) == is_final(outcome.solution), "a puzzle has a form");
        if (outcome.status != SolveStatus::unique) {
            continue;
        }
        const Grid image = turned(grid, band, transposed, by);
        expect(equal(grade(engine, image, bounds), known), "isomorphs are graded alike by all builds");
        Grid other;
        canonical_form(image, turned(outcome.solution, band, transposed, by), other);
        expect(form == other, "isomorphs have one form");
        check_path(grid, outcome.solution, known, bounds);
        const explainer::Grade within = grade(engine, grid, below);
        expect(within.status == GradeStatus::above ? within.er > below.ceiling : equal(within, known),
               "a ceiling changes nothing below");
        expect(within.er <= known.er || known.status == GradeStatus::gave_up, "a bound is not above the rating");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(std::span(data, size));
    enum { solving, digging, grading };
    const int what = bytes.below(3);
    std::vector<Grid> grids = some_finals(bytes, 1 + bytes.below(what == solving ? 50 : 20));
    if (what == digging) {
        if (bytes.below(4) == 1) {
            spoil(grids[bytes.below(static_cast<int>(grids.size()))], bytes);
        }
        check_digging(grids, bytes);
    } else {
        for (Grid& grid : grids) {
            if (!bytes.empty()) {
                blank(grid, bytes);
                blank(grid, bytes);
                spoil(grid, bytes);
            }
        }
        if (what == solving) {
            check_solving(grids, bytes);
        } else {
            check_grading(grids, bytes);
        }
    }
    return 0;
}
