// Links between candidates: what a candidate that is right makes wrong, and what one that is wrong makes right.
#pragma once

#include <array>
#include <cstdint>

#include "../candidate_grid.hpp"
#include "bits.hpp"

namespace sudokumill::explainer::chains {

/// Links of some of a grid's candidates, which are numbered from 0.
///
///     weak     on -> off    two candidates that cannot both be right: same digit in one region, or same cell
///     strong   off -> on    two of which one must be right: the only two of a cell, or of a digit in a region
///     onward   on -> on     a weak link, then a strong one: the step that chains are made of
///     back     on <- on     the same, the other way
///
/// Each is symmetric but the last two, which are each other's mirror.
template <int Words> struct Links {
    static constexpr int kMost = 64 * Words;
    using Set = Bits<Words>;

    int count = 0;
    Set linked; // candidates with a strong link
    std::array<std::uint8_t, kMost> cell;
    std::array<std::uint8_t, kMost> digit;
    std::array<Set, kMost> weak;
    std::array<Set, kMost> strong;
    std::array<Set, kMost> onward;
    std::array<Set, kMost> back;

    void clear() {
        count = 0;
        linked = Set{};
    }

    /// Numbers one candidate more, without links.
    int add(int in_cell, int of_digit) {
        const auto index = static_cast<std::size_t>(count);
        cell[index] = static_cast<std::uint8_t>(in_cell);
        digit[index] = static_cast<std::uint8_t>(of_digit);
        weak[index] = strong[index] = onward[index] = back[index] = Set{};
        return count++;
    }

    void add_weak(int one, int other) {
        weak[static_cast<std::size_t>(one)].set(other);
        weak[static_cast<std::size_t>(other)].set(one);
    }

    void add_strong(int one, int other) {
        strong[static_cast<std::size_t>(one)].set(other);
        strong[static_cast<std::size_t>(other)].set(one);
        linked.set(one);
        linked.set(other);
    }

    /// Joins weak and strong links to steps.
    void join() {
        for (int from = 0; from < count; ++from) {
            Set& steps = onward[static_cast<std::size_t>(from)];
            for_each(weak[static_cast<std::size_t>(from)] & linked,
                     [&](int off) { steps |= strong[static_cast<std::size_t>(off)]; });
            steps.reset(from);
            for_each(steps, [&](int to) { back[static_cast<std::size_t>(to)].set(from); });
        }
    }
};

// A puzzle has 17 clues or more, so at most 64 blank cells.
using DigitLinks = Links<1>;   // candidates of one digit
using BivalueLinks = Links<2>; // candidates of cells with two

/// Links of one digit: those of X-chains. None at all if it has no two strong links.
void link_digit(const CandidateGrid& grid, int digit, DigitLinks& links);

/// Links of the cells with two candidates, strong ones inside the cells only: those of Y-cycles.
void link_bivalue_cells(const CandidateGrid& grid, BivalueLinks& links);

/// All links of all candidates. There must be at most 64 * Words.
template <int Words> void link_all(const CandidateGrid& grid, Links<Words>& links);

} // namespace sudokumill::explainer::chains
