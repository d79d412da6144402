// 8 lanes in a 128-bit vector, without a word about any CPU: the compiler finds the instructions, or takes the
// lanes one by one.
#pragma once

namespace sudokumill::portable {

constexpr int kLanes = 8;
using LaneMask = std::uint32_t; // bit l: lane l
typedef std::uint16_t Lanes __attribute__((vector_size(16)));

SUDOKUMILL_INLINE Lanes all_lanes(unsigned value) { return Lanes{} + static_cast<std::uint16_t>(value); }

// --- of three bits ----------------------------------------------------------------------------------------

SUDOKUMILL_INLINE Lanes any(Lanes a, Lanes b, Lanes c) { return a | b | c; }
SUDOKUMILL_INLINE Lanes all(Lanes a, Lanes b, Lanes c) { return a & b & c; }
SUDOKUMILL_INLINE Lanes two_of(Lanes a, Lanes b, Lanes c) { return (a & b) | (c & (a ^ b)); }
SUDOKUMILL_INLINE Lanes odd_of(Lanes a, Lanes b, Lanes c) { return a ^ b ^ c; }
SUDOKUMILL_INLINE Lanes neither(Lanes a, Lanes b, Lanes c) { return a & ~(b | c); }
SUDOKUMILL_INLINE Lanes unless(Lanes a, Lanes b, Lanes c) { return a & ~(b & ~c); }
SUDOKUMILL_INLINE Lanes or_both(Lanes a, Lanes b, Lanes c) { return a | (b & c); }
SUDOKUMILL_INLINE Lanes or_differ(Lanes a, Lanes b, Lanes c) { return a | (b ^ c); }

// --- of whole lanes ---------------------------------------------------------------------------------------

struct Where { // lanes to choose: all ones there, else zeros
    Lanes lanes;
};

namespace detail {
SUDOKUMILL_INLINE Lanes is_zero(Lanes a) { return (Lanes)(a == Lanes{}); }
/// The lanes of a vector whose lanes are all ones or all zeros.
SUDOKUMILL_INLINE LaneMask bits_of(Lanes a) {
    typedef std::uint64_t Halves __attribute__((vector_size(16)));
    const Halves halves = (Halves)(a & Lanes{1, 2, 4, 8, 16, 32, 64, 128});
    std::uint64_t sum = halves[0] | halves[1]; // no two lanes have a bit in common
    sum |= sum >> 32;
    return static_cast<LaneMask>((sum | sum >> 16) & 0xFF);
}
} // namespace detail

SUDOKUMILL_INLINE Where where(LaneMask mask) {
    const Lanes bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return {(Lanes)((all_lanes(mask) & bit) == bit)};
}
SUDOKUMILL_INLINE Where where_equal(Lanes a, Lanes b) { return {(Lanes)(a == b)}; }
SUDOKUMILL_INLINE LaneMask equal(Lanes a, Lanes b) { return detail::bits_of((Lanes)(a == b)); }
SUDOKUMILL_INLINE LaneMask nonzero(Lanes a) { return detail::bits_of((Lanes)(a != Lanes{})); }
SUDOKUMILL_INLINE LaneMask top_bit(Lanes a) { return nonzero(a & all_lanes(0x8000)); }

SUDOKUMILL_INLINE Lanes pick(const Where& which, Lanes yes, Lanes no) {
    return (yes & which.lanes) | (no & ~which.lanes);
}

/// `a` where it is not zero, else `b`.
SUDOKUMILL_INLINE Lanes first_nonzero(Lanes a, Lanes b) { return a | (b & detail::is_zero(a)); }

/// `value` where `a` and `bits` have a bit in common, else zero.
SUDOKUMILL_INLINE Lanes if_meets(Lanes a, Lanes bits, Lanes value) { return value & ~detail::is_zero(a & bits); }

/// `a` where it has at most one bit, else zero; `less_one` is a - 1.
SUDOKUMILL_INLINE Lanes single(Lanes a, Lanes less_one) { return a & detail::is_zero(a & less_one); }

/// Of nine bits or fewer.
SUDOKUMILL_INLINE Lanes popcount(Lanes a) {
    a = a - (a >> 1 & all_lanes(0x5555));
    a = (a & all_lanes(0x3333)) + (a >> 2 & all_lanes(0x3333));
    a = a + (a >> 4);
    return (a & all_lanes(0x000F)) + (a >> 8 & all_lanes(0x000F));
}

namespace detail {
/// Zero where `a` has at most two bits, else some of its bits.
SUDOKUMILL_INLINE Lanes without_two(Lanes a) {
    const Lanes b = a & (a - all_lanes(1));
    return b & (b - all_lanes(1));
}
} // namespace detail

/// `a` where it has at most three bits, else zero.
SUDOKUMILL_INLINE Lanes at_most_three(Lanes a) {
    const Lanes rest = detail::without_two(a);
    return a & detail::is_zero(rest & (rest - all_lanes(1)));
}

/// `a` where it has three bits or more, else `b`, of which `a` is a part.
SUDOKUMILL_INLINE Lanes three_or_else(Lanes a, Lanes b) {
    return a | (b & detail::is_zero(detail::without_two(a)));
}

SUDOKUMILL_INLINE Lanes least(Lanes a, Lanes b) { return pick({(Lanes)(a < b)}, a, b); }

// --- between lanes ----------------------------------------------------------------------------------------

/// Lane l of the result is lane from[l] of what is moved.
struct Move {
    const std::uint16_t* from;
    explicit Move(const std::uint16_t* lanes) : from(lanes) {}
};

SUDOKUMILL_INLINE Lanes moved(Lanes a, const Move& move) {
    Lanes result;
    for (int lane = 0; lane < kLanes; ++lane) {
        result[lane] = a[move.from[lane]];
    }
    return result;
}

/// table[a], for numbers below 16.
SUDOKUMILL_INLINE Lanes looked_up(const std::uint16_t (&table)[16], Lanes a) {
    Lanes result;
    for (int lane = 0; lane < kLanes; ++lane) {
        result[lane] = table[a[lane]];
    }
    return result;
}

// --- bytes ------------------------------------------------------------------------------------------------

/// One byte for each lane.
SUDOKUMILL_INLINE Lanes from_bytes(const std::uint8_t* bytes) {
    Lanes result;
    for (int lane = 0; lane < kLanes; ++lane) {
        result[lane] = bytes[lane];
    }
    return result;
}
SUDOKUMILL_INLINE void to_bytes(Lanes a, std::uint8_t* bytes) {
    for (int lane = 0; lane < kLanes; ++lane) {
        bytes[lane] = static_cast<std::uint8_t>(a[lane]);
    }
}

} // namespace sudokumill::portable
