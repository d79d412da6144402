// 32 lanes in a 512-bit vector.
#pragma once

#include <immintrin.h>

namespace sudokumill::avx512 {

constexpr int kLanes = 32;
using LaneMask = std::uint32_t; // bit l: lane l
typedef std::uint16_t Lanes __attribute__((vector_size(64)));

namespace detail {
SUDOKUMILL_INLINE __m512i raw(Lanes a) { return (__m512i)a; }
SUDOKUMILL_INLINE Lanes lanes(__m512i a) { return (Lanes)a; }
/// Any function of three bits: bit 4a + 2b + c of `table` is its value.
template <int table> SUDOKUMILL_INLINE Lanes ternary(Lanes a, Lanes b, Lanes c) {
    return lanes(_mm512_ternarylogic_epi64(raw(a), raw(b), raw(c), table));
}
} // namespace detail

SUDOKUMILL_INLINE Lanes all_lanes(unsigned value) { return detail::lanes(_mm512_set1_epi16((short)value)); }

// --- of three bits ----------------------------------------------------------------------------------------

//     any  a | b | c       two_of   two or three of them    neither  a & ~(b | c)     or_both    a | (b & c)
//     all  a & b & c       odd_of   one or three of them    unless   a & (~b | c)     or_differ  a | (b ^ c)

SUDOKUMILL_INLINE Lanes any(Lanes a, Lanes b, Lanes c) { return detail::ternary<0xFE>(a, b, c); }
SUDOKUMILL_INLINE Lanes all(Lanes a, Lanes b, Lanes c) { return detail::ternary<0x80>(a, b, c); }
SUDOKUMILL_INLINE Lanes two_of(Lanes a, Lanes b, Lanes c) { return detail::ternary<0xE8>(a, b, c); }
SUDOKUMILL_INLINE Lanes odd_of(Lanes a, Lanes b, Lanes c) { return detail::ternary<0x96>(a, b, c); }
SUDOKUMILL_INLINE Lanes neither(Lanes a, Lanes b, Lanes c) { return detail::ternary<0x10>(a, b, c); }
SUDOKUMILL_INLINE Lanes unless(Lanes a, Lanes b, Lanes c) { return detail::ternary<0xB0>(a, b, c); }
SUDOKUMILL_INLINE Lanes or_both(Lanes a, Lanes b, Lanes c) { return detail::ternary<0xF8>(a, b, c); }
SUDOKUMILL_INLINE Lanes or_differ(Lanes a, Lanes b, Lanes c) { return detail::ternary<0xF6>(a, b, c); }

// --- of whole lanes ---------------------------------------------------------------------------------------

using Where = __mmask32; // lanes to choose

SUDOKUMILL_INLINE Where where(LaneMask mask) { return mask; }
SUDOKUMILL_INLINE Where where_equal(Lanes a, Lanes b) {
    return _mm512_cmpeq_epi16_mask(detail::raw(a), detail::raw(b));
}
SUDOKUMILL_INLINE LaneMask equal(Lanes a, Lanes b) { return where_equal(a, b); }
SUDOKUMILL_INLINE LaneMask nonzero(Lanes a) { return _mm512_test_epi16_mask(detail::raw(a), detail::raw(a)); }
SUDOKUMILL_INLINE LaneMask top_bit(Lanes a) { return _mm512_movepi16_mask(detail::raw(a)); }

SUDOKUMILL_INLINE Lanes pick(Where which, Lanes yes, Lanes no) {
    return detail::lanes(_mm512_mask_mov_epi16(detail::raw(no), which, detail::raw(yes)));
}

/// `a` where it is not zero, else `b`.
SUDOKUMILL_INLINE Lanes first_nonzero(Lanes a, Lanes b) { return pick(nonzero(a), a, b); }

/// `value` where `a` and `bits` have a bit in common, else zero.
SUDOKUMILL_INLINE Lanes if_meets(Lanes a, Lanes bits, Lanes value) {
    return detail::lanes(
        _mm512_maskz_mov_epi16(_mm512_test_epi16_mask(detail::raw(a), detail::raw(bits)), detail::raw(value)));
}

/// `a` where it has at most one bit, else zero; `less_one` is a - 1.
SUDOKUMILL_INLINE Lanes single(Lanes a, Lanes less_one) {
    return detail::lanes(
        _mm512_maskz_mov_epi16(_mm512_testn_epi16_mask(detail::raw(a), detail::raw(less_one)), detail::raw(a)));
}

SUDOKUMILL_INLINE Lanes popcount(Lanes a) { return detail::lanes(_mm512_popcnt_epi16(detail::raw(a))); }

/// `a` where it has at most three bits, else zero.
SUDOKUMILL_INLINE Lanes at_most_three(Lanes a) {
    return detail::lanes(_mm512_maskz_mov_epi16(
        _mm512_cmple_epu16_mask(detail::raw(popcount(a)), _mm512_set1_epi16(3)), detail::raw(a)));
}

/// `a` where it has three bits or more, else `b`, of which `a` is a part.
SUDOKUMILL_INLINE Lanes three_or_else(Lanes a, Lanes b) {
    return pick(_mm512_cmpge_epu16_mask(detail::raw(popcount(a)), _mm512_set1_epi16(3)), a, b);
}

SUDOKUMILL_INLINE Lanes least(Lanes a, Lanes b) {
    return detail::lanes(_mm512_min_epu16(detail::raw(a), detail::raw(b)));
}

// --- between lanes ----------------------------------------------------------------------------------------

/// Lane l of the result is lane from[l] of what is moved.
struct Move {
    __m512i from;
    explicit Move(const std::uint16_t* lanes) : from(_mm512_loadu_si512(lanes)) {}
};

SUDOKUMILL_INLINE Lanes moved(Lanes a, const Move& move) {
    return detail::lanes(_mm512_permutexvar_epi16(move.from, detail::raw(a)));
}

/// table[a], for numbers below 16.
SUDOKUMILL_INLINE Lanes looked_up(const std::uint16_t (&table)[16], Lanes a) {
    const __m256i once = _mm256_loadu_si256((const __m256i*)table);
    return detail::lanes(_mm512_permutexvar_epi16(detail::raw(a), _mm512_maskz_broadcast_i64x4(0xFF, once)));
}

// --- bytes ------------------------------------------------------------------------------------------------

/// One byte for each lane; the address is a multiple of 32.
typedef std::uint8_t LaneBytes __attribute__((vector_size(32)));
SUDOKUMILL_INLINE Lanes from_bytes(const std::uint8_t* bytes) {
    return __builtin_convertvector((LaneBytes)_mm256_load_si256((const __m256i*)bytes), Lanes);
}
SUDOKUMILL_INLINE void to_bytes(Lanes a, std::uint8_t* bytes) {
    _mm256_store_si256((__m256i*)bytes, (__m256i) __builtin_convertvector(a, LaneBytes));
}

} // namespace sudokumill::avx512
