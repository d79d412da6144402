#include "peer.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <numeric>
#include <stdexcept>

#include "splitmix.hpp"

namespace sudokumill {
namespace {

/// 81 characters and the zero that ends them.
using Text = std::array<char, kCells + 1>;

Text text_of(const std::uint8_t* grid) {
    Text text{};
    for (int cell = 0; cell < kCells; ++cell) {
        text[cell] = grid[cell] == 0 ? '.' : static_cast<char>('0' + grid[cell]);
    }
    return text;
}

template <typename Function> Function function_of(void* library, const char* name) {
    void* const found = dlsym(library, name);
    if (found == nullptr) {
        throw std::runtime_error(std::string("it has no function ") + name);
    }
    return reinterpret_cast<Function>(found);
}

/// The first solution that a search finds.
struct First {
    std::uint8_t* solution;
    bool found = false;
};

void keep_first(const char* text, void* argument) {
    First& first = *static_cast<First*>(argument);
    if (!first.found) {
        first.found = true;
        std::transform(text, text + kCells, first.solution,
                       [](char digit) { return static_cast<std::uint8_t>(digit - '0'); });
    }
}

/// Eleven clues without a clash.
Grid eleven_clues(SplitMix64& random) {
    Grid grid{};
    for (int clues = 0; clues < 11;) {
        const int cell = random.below(kCells);
        if (grid[cell] == 0) {
            grid[cell] = static_cast<std::uint8_t>(random.below(kDigits) + 1);
            if (has_clash(grid)) {
                grid[cell] = 0;
            } else {
                ++clues;
            }
        }
    }
    return grid;
}

} // namespace

Peer::Peer(const std::string& path) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); // for the rest of the process
    if (library == nullptr) {
        throw std::runtime_error(dlerror());
    }
    enumerate_ = function_of<Enumerate>(library, "TdokuEnumerate");
    solve_ = function_of<Solve>(library, "TdokuSolverDpllTriadSimd");
}

void Peer::solve(const std::uint8_t* puzzles, std::size_t rows, std::int64_t* counts,
                 std::uint8_t* solutions) const {
    for (std::size_t row = 0; row < rows; ++row) {
        First first{solutions + kCells * row};
        const Text text = text_of(puzzles + kCells * row);
        counts[row] = static_cast<std::int64_t>(enumerate_(text.data(), 2, keep_first, &first));
    }
}

void Peer::dig(const std::uint8_t* finals, const std::uint64_t* seeds, std::size_t rows,
               std::uint8_t* puzzles) const {
    for (std::size_t row = 0; row < rows; ++row) {
        const Text final = text_of(finals + kCells * row);
        Text puzzle = final;
        std::array<std::uint8_t, kCells> order;
        std::iota(order.begin(), order.end(), std::uint8_t{0});
        SplitMix64 random(seeds[row]);
        random.shuffle(std::span(order));
        const auto is_unique = [&] {
            std::size_t guesses = 0;
            return solve_(puzzle.data(), 2, 0, nullptr, &guesses) == 1;
        };
        constexpr int kAtOnce = 44;
        std::for_each_n(order.begin(), kAtOnce, [&](std::uint8_t cell) { puzzle[cell] = '.'; });
        const bool held = is_unique();
        if (!held) {
            puzzle = final;
        }
        for (int turn = held ? kAtOnce : 0; turn < kCells; ++turn) {
            puzzle[order[turn]] = '.';
            if (!is_unique()) {
                puzzle[order[turn]] = final[order[turn]];
            }
        }
        for (int cell = 0; cell < kCells; ++cell) {
            puzzles[kCells * row + cell] = puzzle[cell] == '.' ? 0 : finals[kCells * row + cell];
        }
    }
}

void Peer::make_finals(const std::uint64_t* seeds, std::size_t rows, std::uint8_t* finals) const {
    for (std::size_t row = 0; row < rows; ++row) {
        SplitMix64 random(seeds[row]);
        Text solution{};
        std::size_t guesses = 0;
        while (solve_(text_of(eleven_clues(random).data()).data(), 1, 0, solution.data(), &guesses) == 0) {
        }
        std::transform(solution.begin(), solution.end() - 1, finals + kCells * row,
                       [](char digit) { return static_cast<std::uint8_t>(digit - '0'); });
    }
}

} // namespace sudokumill
