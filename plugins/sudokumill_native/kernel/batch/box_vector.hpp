// A box of the single engine as one vector of 256 bits: four groups of four lanes, as drawn in single_state.hpp.
#pragma once

#include "lanes.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

typedef std::uint16_t Box __attribute__((vector_size(32)));

#ifdef SUDOKUMILL_BUILD_AVX512
namespace detail {
template <int table> SUDOKUMILL_INLINE Box ternary(Box a, Box b, Box c) {
    return (Box)_mm256_ternarylogic_epi64((__m256i)a, (__m256i)b, (__m256i)c, table);
}
} // namespace detail

SUDOKUMILL_INLINE Box any(Box a, Box b, Box c) { return detail::ternary<0xFE>(a, b, c); }
SUDOKUMILL_INLINE Box all(Box a, Box b, Box c) { return detail::ternary<0x80>(a, b, c); }
SUDOKUMILL_INLINE Box neither(Box a, Box b, Box c) { return detail::ternary<0x10>(a, b, c); }
SUDOKUMILL_INLINE Box unless(Box a, Box b, Box c) { return detail::ternary<0xB0>(a, b, c); }
SUDOKUMILL_INLINE Box or_both(Box a, Box b, Box c) { return detail::ternary<0xF8>(a, b, c); }
SUDOKUMILL_INLINE Box or_differ(Box a, Box b, Box c) { return detail::ternary<0xF6>(a, b, c); }
#endif // with AVX2 a box is as long as the lanes, which have these

SUDOKUMILL_INLINE Box all_of_box(unsigned value) { return Box{} + static_cast<std::uint16_t>(value); }

/// Ones in the lanes that are cells.
SUDOKUMILL_INLINE Box cell_lanes() {
    constexpr std::uint16_t ones = 0xFFFF;
    return Box{ones, ones, ones, 0, ones, ones, ones, 0, ones, ones, ones, 0, 0, 0, 0, 0};
}

SUDOKUMILL_INLINE Box ones_where_zero(Box a) { return (Box)(a == Box{}); }

SUDOKUMILL_INLINE bool is_all_zero(Box a) {
    typedef std::uint64_t Groups __attribute__((vector_size(32)));
    const Groups groups = (Groups)a;
    return (groups[0] | groups[1] | groups[2] | groups[3]) == 0;
}

/// In each lane the lane of the same group whose place is given, group by group alike.
template <int a, int b, int c, int d> SUDOKUMILL_INLINE Box in_groups(Box box) {
    return __builtin_shufflevector(box, box, a, b, c, d, 4 + a, 4 + b, 4 + c, 4 + d, //
                                   8 + a, 8 + b, 8 + c, 8 + d, 12 + a, 12 + b, 12 + c, 12 + d);
}

/// In each group the group whose place is given.
template <int a, int b, int c, int d> SUDOKUMILL_INLINE Box of_groups(Box box) {
    return __builtin_shufflevector(box, box, 4 * a, 4 * a + 1, 4 * a + 2, 4 * a + 3, //
                                   4 * b, 4 * b + 1, 4 * b + 2, 4 * b + 3,           //
                                   4 * c, 4 * c + 1, 4 * c + 2, 4 * c + 3,           //
                                   4 * d, 4 * d + 1, 4 * d + 2, 4 * d + 3);
}

} // namespace sudokumill::SUDOKUMILL_BUILD
