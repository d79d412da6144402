// Grids as rows of 81 bytes, and as lanes: 16 rows by 16 cells at a time.
#pragma once

#include "state.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

namespace detail {

/// Digits by their place in reading order, a byte for each lane.
struct alignas(64) Digits {
    std::uint8_t at[kCellCount][kLanes];
};

#if defined(SUDOKUMILL_BUILD_AVX512) || defined(SUDOKUMILL_BUILD_AVX2)

/// Turns 16 rows of 16 bytes into columns: each round interleaves the upper eight with the lower eight.
SUDOKUMILL_INLINE void transpose(__m128i (&rows)[16]) {
    for (int round = 0; round < 4; ++round) {
        __m128i next[16];
        for (int i = 0; i < 8; ++i) {
            next[2 * i] = _mm_unpacklo_epi8(rows[i], rows[i + 8]);
            next[2 * i + 1] = _mm_unpackhi_epi8(rows[i], rows[i + 8]);
        }
        for (int i = 0; i < 16; ++i) {
            rows[i] = next[i];
        }
    }
}

/// Where tiles of 16 cells begin: 0, 16, 32, 48, 64, and 65, so that the last one ends with the row.
constexpr int tile_start(int tile) { return tile == 5 ? kCellCount - 16 : 16 * tile; }

inline void gather(const std::uint8_t* const (&rows)[kLanes], Digits& digits) {
    for (int lane = 0; lane < kLanes; lane += 16) {
        for (int tile = 0; tile < 6; ++tile) {
            __m128i bytes[16];
            for (int i = 0; i < 16; ++i) {
                bytes[i] = _mm_loadu_si128((const __m128i*)(rows[lane + i] + tile_start(tile)));
            }
            transpose(bytes);
            for (int i = 0; i < 16; ++i) {
                _mm_store_si128((__m128i*)&digits.at[tile_start(tile) + i][lane], bytes[i]);
            }
        }
    }
}

inline void scatter(const Digits& digits, LaneMask which, std::uint8_t* const (&rows)[kLanes]) {
    for (int lane = 0; lane < kLanes; lane += 16) {
        if ((which >> lane & 0xFFFF) == 0) {
            continue;
        }
        for (int tile = 0; tile < 6; ++tile) {
            __m128i bytes[16];
            for (int i = 0; i < 16; ++i) {
                bytes[i] = _mm_load_si128((const __m128i*)&digits.at[tile_start(tile) + i][lane]);
            }
            transpose(bytes);
            for (int i = 0; i < 16; ++i) {
                if ((which & lane_bit(lane + i)) != 0) {
                    _mm_storeu_si128((__m128i*)(rows[lane + i] + tile_start(tile)), bytes[i]);
                }
            }
        }
    }
}

#else

inline void gather(const std::uint8_t* const (&rows)[kLanes], Digits& digits) {
    for (int lane = 0; lane < kLanes; ++lane) {
        for (int place = 0; place < kCellCount; ++place) {
            digits.at[place][lane] = rows[lane][place];
        }
    }
}

inline void scatter(const Digits& digits, LaneMask which, std::uint8_t* const (&rows)[kLanes]) {
    for (LaneMask left = which; left != 0; left &= left - 1) {
        const int lane = first_of(left);
        for (int place = 0; place < kCellCount; ++place) {
            rows[lane][place] = digits.at[place][lane];
        }
    }
}

#endif

constexpr std::uint16_t kCandidates[16] = {kAnyDigit, 1, 2, 4, 8, 16, 32, 64, 128, 256, 0, 0, 0, 0, 0, 0};

} // namespace detail

/// The candidates of grids that have one for each clue and nine for each blank.
///
/// A number above 9 leaves no candidate, nor does a digit that stands twice in a box: such a lane is dead in its
/// first pass. (So it is where a digit stands twice in a row or column, without a look at it here; within a box, a
/// pass would not see it.)
__attribute__((noinline)) inline void load_rows(const std::uint8_t* const (&rows)[kLanes], Cells& cells) {
    detail::Digits digits;
    detail::gather(rows, digits);
    for (int box = 0; box < 9; ++box) {
        Lanes seen = {};
        Lanes twice = {};
        for (int cell = 9 * box; cell < 9 * box + 9; ++cell) {
            const Lanes digit = least(from_bytes(digits.at[kPlaces.of[cell]]), all_lanes(10));
            cells.at[cell] = looked_up(detail::kCandidates, digit);
            const Lanes clue = if_meets(digit, all_lanes(15), cells.at[cell]);
            twice = or_both(twice, seen, clue);
            seen |= clue;
        }
        cells.at[9 * box] &= ~if_meets(twice, twice, all_lanes(kAnyDigit));
    }
}

/// Writes the digits of solved lanes.
__attribute__((noinline)) inline void store_rows(const Cells& cells, LaneMask which,
                                                 std::uint8_t* const (&rows)[kLanes]) {
    detail::Digits digits;
    for (int cell = 0; cell < kCellCount; ++cell) {
        const Lanes below = cells.at[cell] - all_lanes(1); // as many bits as digits below
        to_bytes(popcount(below) + all_lanes(1), digits.at[kPlaces.of[cell]]);
    }
    detail::scatter(digits, which, rows);
}

} // namespace sudokumill::SUDOKUMILL_BUILD
