#include "minimality.hpp"

#include <algorithm>

#include "grid.hpp"

namespace sudokumill {
namespace {

bool keeps_clues(GridView puzzle, GridView solution) {
    return std::equal(puzzle.begin(), puzzle.end(), solution.begin(),
                      [](std::uint8_t clue, std::uint8_t digit) { return clue == 0 || clue == digit; });
}

} // namespace

void find_minimal(const Engine& engine, const MinimalityRows& batch, const StopCheck* stop_check) {
    const auto is_sound = [&batch](std::size_t row) {
        const GridView solution(batch.solutions + kCells * row, kCells);
        return is_final(solution) && keeps_clues(GridView(batch.puzzles + kCells * row, kCells), solution);
    };
    // ranges of sound rows, of which there is mostly one
    for (std::size_t first = 0; first < batch.rows;) {
        std::size_t end = first;
        while (end < batch.rows && is_sound(end)) {
            ++end;
        }
        engine.find_minimal({.puzzles = batch.puzzles + kCells * first,
                             .solutions = batch.solutions + kCells * first,
                             .rows = end - first,
                             .minimal = batch.minimal + first,
                             .pause = pause_of(stop_check)});
        if (end < batch.rows) {
            batch.minimal[end] = 0;
        }
        first = end + 1;
    }
}

} // namespace sudokumill
