// Subsets: k of nine sets that have k elements between them.
#pragma once

#include <array>

#include "candidate_grid.hpp"

namespace sudokumill::explainer {

namespace detail {

template <typename Act> struct SubsetSearch {
    std::array<NineBits, 9> sets;    // those of two to `size` elements
    std::array<NineBits, 9> numbers; // the bit of each among the nine
    int count;
    int size;
    Act& act;

    void extend(int from, int missing, NineBits members, NineBits all) {
        for (int index = from; index + missing <= count; ++index) {
            const auto at = static_cast<std::size_t>(index);
            const auto more = static_cast<NineBits>(all | sets[at]);
            if (count_of(more) > size) {
                continue;
            }
            const auto with = static_cast<NineBits>(members | numbers[at]);
            if (missing > 1) {
                extend(index + 1, missing - 1, with, more);
            } else if (count_of(more) == size) {
                act(with, more);
            }
        }
    }
};

} // namespace detail

/// Calls act(members, elements) for each choice of `size` sets, of two elements or more each, that have exactly
/// `size` elements between them.
template <typename Act> void for_each_subset(const NineSets& sets, int size, Act&& act) {
    detail::SubsetSearch<Act> search{.sets = {}, .numbers = {}, .count = 0, .size = size, .act = act};
    for (int number = 0; number < 9; ++number) {
        const NineBits set = sets[static_cast<std::size_t>(number)];
        if (const int elements = count_of(set); elements >= 2 && elements <= size) {
            search.sets[static_cast<std::size_t>(search.count)] = set;
            search.numbers[static_cast<std::size_t>(search.count)] = bit_of(number);
            ++search.count;
        }
    }
    if (search.count >= size) {
        search.extend(0, size, 0, 0);
    }
}

/// Calls act(members, elements) for each choice of `count` sets, none of them empty, that have exactly `size`
/// elements together with those given.
template <typename Act>
void for_each_choice(const NineSets& sets, int count, NineBits given, int size, Act&& act, int from = 0,
                     NineBits members = 0) {
    if (count_of(given) > size) {
        return;
    }
    if (count == 0) {
        if (count_of(given) == size) {
            act(members, given);
        }
        return;
    }
    for (int number = from; number + count <= 9; ++number) {
        if (const NineBits set = sets[static_cast<std::size_t>(number)]; set != 0) {
            for_each_choice(sets, count - 1, static_cast<NineBits>(given | set), size, act, number + 1,
                            static_cast<NineBits>(members | bit_of(number)));
        }
    }
}

/// The candidates of the cells of a region.
inline NineSets candidates_in(const CandidateGrid& grid, int region) {
    NineSets sets;
    for (int place = 0; place < 9; ++place) {
        sets[static_cast<std::size_t>(place)] = grid.candidates(cell_at(region, place));
    }
    return sets;
}

/// The cells at some places of a region.
inline CellSet cells_at(int region, NineBits places) {
    CellSet cells;
    for_each_bit(places, [&](int place) { cells.add(cell_at(region, place)); });
    return cells;
}

} // namespace sudokumill::explainer
