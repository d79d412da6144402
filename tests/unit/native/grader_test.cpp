// The grader without Python, to be built with sanitizers: puzzles of every kind and over the whole scale, as they
// are and turned, in batches and on threads, within bounds, and told to stop. Prints each promise that is broken;
// exit code 1 if any.
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "batch/dispatch.hpp"
#include "exact_cover.hpp"
#include "grade/grade_batch.hpp"
#include "promises.hpp"
#include "threads.hpp"

namespace {

using namespace sudokumill;
using namespace sudokumill::explainer;

constexpr std::uint64_t kEffort = 10'000'000;

// Of each rung of chains one, the deepest within a budget: 7.2, 7.6, 8.3, 8.9, 9.7, 10.5, 11.9.
constexpr std::array<std::string_view, 7> kDeep = {
    "076000408000800000024170950701200000098740200000000600002000045419008000000000800",
    "100007000000000003905000200050020700004000080700014009500091400000050002000800170",
    "001084000800507200007091080010009456000100970000000002260000000000000069058000700",
    "740000009005003001000410070060040300003602100004080090050076000400800900600000025",
    "100200003040000050003006700002000008030070040900000100008400600050000020600003009",
    "100007090030020008009600500005300900010080002600004000300000010040000007007000300",
    "000000039000001005003050800008090006070002000100400000009080050020000600400700000",
};
constexpr std::uint64_t kEffortOfDeepest = 60'000;

Grid grid_of(std::string_view line) {
    Grid grid;
    std::ranges::transform(line, grid.begin(), [](char digit) { return static_cast<std::uint8_t>(digit - '0'); });
    return grid;
}

std::vector<Grid> dug(const std::vector<Grid>& finals, const DigOrder& order) {
    std::vector<Grid> puzzles(finals.size());
    std::vector<std::uint64_t> seeds(finals.size());
    std::vector<std::uint8_t> status(finals.size());
    for (std::size_t row = 0; row < finals.size(); ++row) {
        seeds[row] = row;
    }
    dig_batch(kPortableEngine,
              {.finals = bytes_of(finals),
               .seeds = seeds.data(),
               .rows = finals.size(),
               .puzzles = bytes_of(puzzles),
               .status = status.data()},
              order, nullptr);
    return puzzles;
}

/// Minimal ones, of one final with many automorphisms among others; and ones where only some digits are blank, so
/// that most cells have two or three candidates.
std::vector<Grid> some_puzzles() {
    std::vector<std::uint64_t> seeds(60);
    for (std::size_t row = 0; row < seeds.size(); ++row) {
        seeds[row] = row;
    }
    std::vector<Grid> finals = make_finals(kPortableEngine, seeds);
    std::fill_n(finals.begin(), 10, most_alike_final());
    std::vector<Grid> puzzles = dug(finals, single_cells(true));
    for (const Grid& final : finals) {
        DigOrder order{.orbits = {}, .aims = {0}};
        for (std::uint8_t cell = 0; cell < kCells; ++cell) {
            if (final[cell] <= 4) {
                order.orbits.push_back({cell});
            }
        }
        puzzles.push_back(dug({final}, order).front());
    }
    return puzzles;
}

bool equal(const Grade& one, const Grade& other) {
    return one.status == other.status && one.er == other.er && one.ep == other.ep && one.ed == other.ed &&
           one.hardest == other.hardest && one.steps == other.steps && one.rating_sum == other.rating_sum &&
           one.bottleneck == other.bottleneck && one.counts == other.counts;
}

std::vector<Grade> graded(const Engine& engine, const std::vector<Grid>& grids, const GradeBounds& bounds) {
    std::vector<Grade> grades(grids.size());
    grade_batch(engine, {.grids = bytes_of(grids), .rows = grids.size(), .grades = grades.data()}, bounds);
    return grades;
}

/// Each step is right, they are those that were counted, and the last one fills the last cell.
void a_path_keeps_its_promises(const Grid& puzzle, const Grid& solution, const Grade& grade, std::uint64_t row) {
    Grid values = puzzle;
    std::array<std::uint16_t, kTechniques> counts{};
    for (const PathStep& step : find_path(kPortableEngine, puzzle, {.effort = kEffort})) {
        const Hint& hint = step.hint;
        ++counts[static_cast<std::size_t>(hint.technique)];
        expect(hint.rating >= least_rating_of(hint.technique) && hint.rating <= grade.er, "a step has its rating",
               row);
        if (hint.placed_cell >= 0) {
            expect(solution[hint.placed_cell] == hint.placed_digit + 1, "a digit is placed where it belongs", row);
            values[hint.placed_cell] = static_cast<std::uint8_t>(hint.placed_digit + 1);
        }
        expect((hint.placed_cell >= 0) == hint.eliminations.empty(), "a step places or eliminates", row);
        for (int digit = 0; digit < kDigits; ++digit) {
            for_each_cell(hint.eliminations[digit], [&](int cell) {
                expect(puzzle[cell] == 0 && solution[cell] != digit + 1, "the solution loses no candidate", row);
            });
        }
    }
    expect(values == solution, "the path ends at the solution", row);
    expect(counts == grade.counts, "the path is what was graded", row);
}

/// What is graded within bounds is what is graded without; what is not has a rating that is not below the bound.
void bounds_are_kept(const Grid& puzzle, const Grade& grade, std::uint64_t row) {
    for (const Tenths ceiling : {12, 20, 42, 66, 71, 76, 85, 91}) {
        const Grade within = graded(kPortableEngine, {puzzle}, {.effort = kEffort, .ceiling = ceiling}).front();
        if (grade.er <= ceiling) {
            expect(equal(within, grade), "a ceiling changes nothing below", row);
        } else {
            expect(within.status == GradeStatus::above && within.er > ceiling && within.er <= grade.er,
                   "what is above a ceiling is said to be", row);
        }
    }
    for (const std::uint64_t effort : {1, 30, 300, 3'000}) {
        const Grade within = graded(kPortableEngine, {puzzle}, {.effort = effort}).front();
        expect(equal(within, grade) || (within.status == GradeStatus::gave_up && within.er <= grade.er),
               "what is given up has a lower bound", row);
        const Grade turned = graded(kPortableEngine, {turned_and_relabelled(puzzle)}, {.effort = effort}).front();
        expect(equal(within, turned), "a budget ends for isomorphs alike", row);
    }
}

void grades_keep_their_promises() {
    std::vector<Grid> puzzles = some_puzzles();
    for (const std::string_view line : kDeep) {
        puzzles.push_back(grid_of(line));
    }
    std::vector<Grid> turned;
    std::ranges::transform(puzzles, std::back_inserter(turned), turned_and_relabelled);
    const GradeBounds bounds{.effort = kEffortOfDeepest};
    const std::vector<Grade> grades = graded(kPortableEngine, puzzles, bounds);
    for (const Engine* engine : runnable_engines()) {
        const std::vector<Grade> others = graded(*engine, turned, bounds);
        for (std::size_t row = 0; row < puzzles.size(); ++row) {
            expect(equal(others[row], grades[row]), "isomorphs are graded alike by all builds", row);
        }
    }
    expect(grades.back().status == GradeStatus::gave_up && grades.back().er > 90, "a budget ends", 0);
    std::vector<Grade> threaded(puzzles.size());
    in_threads(
        puzzles.size(), 3, [] {},
        [&](std::size_t first, std::size_t rows, const StopCheck& stop_check) {
            grade_batch(kPortableEngine,
                        {.grids = puzzles[first].data(), .rows = rows, .grades = threaded.data() + first},
                        {.effort = kEffortOfDeepest, .stop_check = &stop_check});
        });
    for (std::size_t row = 0; row < puzzles.size(); ++row) {
        expect(equal(threaded[row], grades[row]), "threads grade alike", row);
        if (grades[row].status == GradeStatus::graded) {
            a_path_keeps_its_promises(puzzles[row], search_cover(puzzles[row], {}).solution, grades[row], row);
            bounds_are_kept(puzzles[row], grades[row], row);
        }
    }
}

void what_is_no_puzzle_is_told_apart() {
    const Grid final = most_alike_final();
    Grid several = final;
    Grid clash = final;
    Grid high = final;
    Grid none{};
    Grid last = final;
    several.fill(0);
    clash[0] = clash[1];
    high[40] = 255;
    for (std::uint8_t place = 0; place < 8; ++place) { // nothing is left for the ninth cell
        none[place] = place + 1;
    }
    none[17] = 9;
    last[80] = 0;
    const std::vector<Grid> grids = {several, clash, high, none, final, last};
    const std::array statuses = {GradeStatus::not_unique,  GradeStatus::clash,    GradeStatus::clash,
                                 GradeStatus::no_solution, GradeStatus::complete, GradeStatus::graded};
    const std::vector<Grade> grades = graded(kPortableEngine, grids, {.effort = 1});
    for (std::size_t row = 0; row < grids.size(); ++row) {
        expect(grades[row].status == statuses[row], "what is no puzzle is told apart", row);
        const std::size_t steps = find_path(kPortableEngine, grids[row], {.effort = 1}).size();
        expect(steps == (row == 5 ? 1 : 0) && grades[row].steps == steps, "only a puzzle has a path", row);
    }
    expect(graded(kPortableEngine, {}, {.effort = 1}).empty(), "an empty batch has no grades");
}

/// Also in the middle of a puzzle.
void grading_can_be_stopped() {
    int asked = 0;
    const StopCheck stop_at_the_fifth = [&asked] {
        if (++asked == 5) {
            throw asked;
        }
    };
    bool stopped = false;
    try {
        graded(kPortableEngine, {grid_of(kDeep.back())}, {.effort = kEffort, .stop_check = &stop_at_the_fifth});
    } catch (int) {
        stopped = true;
    }
    expect(stopped, "grading ends when it is told to");
}

} // namespace

int main() {
    what_is_no_puzzle_is_told_apart();
    grading_can_be_stopped();
    grades_keep_their_promises();
    return broken_promises == 0 ? 0 : 1;
}
