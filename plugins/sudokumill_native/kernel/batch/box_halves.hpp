// A box of the single engine, four groups of four lanes as drawn in single_state.hpp, as two vectors of 128 bits.
// (gcc takes a longer vector apart lane by lane.)
#pragma once

#include "lanes.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

struct Box {
    typedef std::uint16_t Half __attribute__((vector_size(16)));
    Half low;  // rows 0 and 1
    Half high; // row 2, and the row that stays empty

    SUDOKUMILL_INLINE std::uint16_t operator[](int lane) const { return lane < 8 ? low[lane] : high[lane - 8]; }
};

SUDOKUMILL_INLINE Box operator&(Box a, Box b) { return {a.low & b.low, a.high & b.high}; }
SUDOKUMILL_INLINE Box operator|(Box a, Box b) { return {a.low | b.low, a.high | b.high}; }
SUDOKUMILL_INLINE Box operator^(Box a, Box b) { return {a.low ^ b.low, a.high ^ b.high}; }
SUDOKUMILL_INLINE Box operator-(Box a, Box b) { return {a.low - b.low, a.high - b.high}; }
SUDOKUMILL_INLINE Box operator~(Box a) { return {~a.low, ~a.high}; }
SUDOKUMILL_INLINE Box& operator&=(Box& a, Box b) { return a = a & b; }
SUDOKUMILL_INLINE Box& operator|=(Box& a, Box b) { return a = a | b; }

SUDOKUMILL_INLINE Box any(Box a, Box b, Box c) { return a | b | c; }
SUDOKUMILL_INLINE Box all(Box a, Box b, Box c) { return a & b & c; }
SUDOKUMILL_INLINE Box neither(Box a, Box b, Box c) { return a & ~(b | c); }
SUDOKUMILL_INLINE Box unless(Box a, Box b, Box c) { return a & ~(b & ~c); }
SUDOKUMILL_INLINE Box or_both(Box a, Box b, Box c) { return a | (b & c); }
SUDOKUMILL_INLINE Box or_differ(Box a, Box b, Box c) { return a | (b ^ c); }

SUDOKUMILL_INLINE Box all_of_box(unsigned value) {
    const Box::Half half = Box::Half{} + static_cast<std::uint16_t>(value);
    return {half, half};
}

/// Ones in the lanes that are cells.
SUDOKUMILL_INLINE Box cell_lanes() {
    constexpr std::uint16_t ones = 0xFFFF;
    return {Box::Half{ones, ones, ones, 0, ones, ones, ones, 0}, Box::Half{ones, ones, ones, 0, 0, 0, 0, 0}};
}

SUDOKUMILL_INLINE Box ones_where_zero(Box a) {
    return {(Box::Half)(a.low == Box::Half{}), (Box::Half)(a.high == Box::Half{})};
}

SUDOKUMILL_INLINE bool is_all_zero(Box a) {
    typedef std::uint64_t Groups __attribute__((vector_size(16)));
    const Groups groups = (Groups)(a.low | a.high);
    return (groups[0] | groups[1]) == 0;
}

/// In each lane the lane of the same group whose place is given, group by group alike.
template <int a, int b, int c, int d> SUDOKUMILL_INLINE Box in_groups(Box box) {
    return {__builtin_shufflevector(box.low, box.low, a, b, c, d, 4 + a, 4 + b, 4 + c, 4 + d),
            __builtin_shufflevector(box.high, box.high, a, b, c, d, 4 + a, 4 + b, 4 + c, 4 + d)};
}

/// In each group the group whose place is given.
template <int a, int b, int c, int d> SUDOKUMILL_INLINE Box of_groups(Box box) {
    typedef std::uint64_t Groups __attribute__((vector_size(16)));
    const Groups low = (Groups)box.low;
    const Groups high = (Groups)box.high;
    return {(Box::Half)__builtin_shufflevector(low, high, a, b),
            (Box::Half)__builtin_shufflevector(low, high, c, d)};
}

} // namespace sudokumill::SUDOKUMILL_BUILD
