// Where a digit is locked into the cells that two regions share.
#pragma once

#include "candidate_grid.hpp"

namespace sudokumill::explainer {

/// From where to where.
enum class LockedKind { pointing, claiming };

/// How places of a region lie, by the bits of the places.
///
/// Three places that follow each other are a row of a box, or of a line what it shares with a box; each third one
/// a column of a box.
struct LockedPlaces {
    std::array<bool, 512> in_third{};      // whether they are two or three of three that follow each other
    std::array<bool, 512> in_each_third{}; // whether they are two or three of a column of a box

    constexpr LockedPlaces() {
        for (const unsigned places : {3U, 5U, 6U, 7U}) {
            for (unsigned third = 0; third < 3; ++third) {
                in_third[places << 3 * third] = true;
                const unsigned spread = (places & 1) | (places & 2) << 2 | (places & 4) << 4;
                in_each_third[spread << third] = true;
            }
        }
    }
};

inline constexpr LockedPlaces kLockedPlaces;

/// Calls act(digit, region, other) for each digit whose two or three places in `region` all lie in `other`: a box
/// and a line for pointing, a line and a box for claiming.
template <typename Act> void for_each_locked(const CandidateGrid& grid, LockedKind kind, Act&& act) {
    const bool pointing = kind == LockedKind::pointing;
    for (int region = pointing ? 0 : kFirstRow; region < (pointing ? kFirstRow : kRegions); ++region) {
        const NineSets& positions = grid.positions_in(region);
        for (int digit = 0; digit < kDigits; ++digit) {
            const NineBits places = positions[static_cast<std::size_t>(digit)];
            if (kLockedPlaces.in_third[places]) {
                const int cell = cell_at(region, first_of(places));
                act(digit, region, pointing ? row_region(cell) : box_region(cell));
            } else if (pointing && kLockedPlaces.in_each_third[places]) {
                act(digit, region, column_region(cell_at(region, first_of(places))));
            }
        }
    }
}

} // namespace sudokumill::explainer
