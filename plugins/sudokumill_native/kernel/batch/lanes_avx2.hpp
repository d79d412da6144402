// 16 lanes in a 256-bit vector.
#pragma once

#include <immintrin.h>

namespace sudokumill::avx2 {

constexpr int kLanes = 16;
using LaneMask = std::uint32_t; // bit l: lane l
typedef std::uint16_t Lanes __attribute__((vector_size(32)));

namespace detail {
SUDOKUMILL_INLINE __m256i raw(Lanes a) { return (__m256i)a; }
SUDOKUMILL_INLINE Lanes lanes(__m256i a) { return (Lanes)a; }
SUDOKUMILL_INLINE Lanes is_zero(Lanes a) { return lanes(_mm256_cmpeq_epi16(raw(a), _mm256_setzero_si256())); }
/// The lanes of a vector whose lanes are all ones or all zeros.
SUDOKUMILL_INLINE LaneMask bits_of(Lanes a) {
    // packs to bytes within the two halves of 128 bits, and takes each half's own eight
    const unsigned bytes =
        static_cast<unsigned>(_mm256_movemask_epi8(_mm256_packs_epi16(raw(a), _mm256_setzero_si256())));
    return (bytes & 0xFF) | (bytes >> 8 & 0xFF00);
}
} // namespace detail

SUDOKUMILL_INLINE Lanes all_lanes(unsigned value) { return detail::lanes(_mm256_set1_epi16((short)value)); }

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

SUDOKUMILL_INLINE Where where(LaneMask mask) {
    const Lanes bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    return {detail::lanes(_mm256_cmpeq_epi16(detail::raw(all_lanes(mask) & bit), detail::raw(bit)))};
}
SUDOKUMILL_INLINE Where where_equal(Lanes a, Lanes b) {
    return {detail::lanes(_mm256_cmpeq_epi16(detail::raw(a), detail::raw(b)))};
}
SUDOKUMILL_INLINE LaneMask equal(Lanes a, Lanes b) { return detail::bits_of(where_equal(a, b).lanes); }
SUDOKUMILL_INLINE LaneMask nonzero(Lanes a) { return detail::bits_of(detail::is_zero(a)) ^ 0xFFFF; }
SUDOKUMILL_INLINE LaneMask top_bit(Lanes a) {
    return detail::bits_of(detail::lanes(_mm256_srai_epi16(detail::raw(a), 15)));
}

SUDOKUMILL_INLINE Lanes pick(const Where& which, Lanes yes, Lanes no) {
    return detail::lanes(_mm256_blendv_epi8(detail::raw(no), detail::raw(yes), detail::raw(which.lanes)));
}

/// `a` where it is not zero, else `b`.
SUDOKUMILL_INLINE Lanes first_nonzero(Lanes a, Lanes b) { return a | (b & detail::is_zero(a)); }

/// `value` where `a` and `bits` have a bit in common, else zero.
SUDOKUMILL_INLINE Lanes if_meets(Lanes a, Lanes bits, Lanes value) { return value & ~detail::is_zero(a & bits); }

/// `a` where it has at most one bit, else zero; `less_one` is a - 1.
SUDOKUMILL_INLINE Lanes single(Lanes a, Lanes less_one) { return a & detail::is_zero(a & less_one); }

/// Of nine bits or fewer.
SUDOKUMILL_INLINE Lanes popcount(Lanes a) {
    const __m256i of_nibble = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
                                               0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i bytes = _mm256_add_epi8(
        _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(detail::raw(a), low)),
        _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(_mm256_srli_epi16(detail::raw(a), 4), low)));
    return detail::lanes(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)));
}

namespace detail {
/// Zero where `a` has at most two bits, else some of its bits.
SUDOKUMILL_INLINE Lanes without_two(Lanes a) {
    const Lanes one = all_lanes(1);
    const Lanes b = a & (a - one);
    return b & (b - one);
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

SUDOKUMILL_INLINE Lanes least(Lanes a, Lanes b) {
    return detail::lanes(_mm256_min_epu16(detail::raw(a), detail::raw(b)));
}

// --- between lanes ----------------------------------------------------------------------------------------

/// Lane l of the result is lane from[l] of what is moved.
struct Move {
    __m256i low;  // for each byte its place in the low half of 128 bits, or 0x80
    __m256i high; // ... in the high half
    explicit Move(const std::uint16_t* lanes) {
        const __m256i twice = _mm256_slli_epi16(_mm256_loadu_si256((const __m256i*)lanes), 1);
        const __m256i next = _mm256_add_epi16(twice, _mm256_set1_epi16(1));
        const __m256i byte = _mm256_or_si256(twice, _mm256_slli_epi16(next, 8)); // 0 .. 31
        const __m256i in_high = _mm256_cmpgt_epi8(byte, _mm256_set1_epi8(15));
        const __m256i none = _mm256_set1_epi8((char)0x80);
        low = _mm256_or_si256(byte, _mm256_and_si256(in_high, none));
        high = _mm256_or_si256(_mm256_sub_epi8(byte, _mm256_set1_epi8(16)), _mm256_andnot_si256(in_high, none));
    }
};

SUDOKUMILL_INLINE Lanes moved(Lanes a, const Move& move) {
    const __m256i low = _mm256_permute4x64_epi64(detail::raw(a), 0x44);
    const __m256i high = _mm256_permute4x64_epi64(detail::raw(a), 0xEE);
    return detail::lanes(
        _mm256_or_si256(_mm256_shuffle_epi8(low, move.low), _mm256_shuffle_epi8(high, move.high)));
}

/// table[a], for numbers below 16.
SUDOKUMILL_INLINE Lanes looked_up(const std::uint16_t (&table)[16], Lanes a) {
    const __m256i even = _mm256_set1_epi16(0xFF);
    const __m128i first = _mm_loadu_si128((const __m128i*)table);
    const __m128i second = _mm_loadu_si128((const __m128i*)(table + 8));
    const __m128i mask = _mm256_castsi256_si128(even);
    const __m128i low = _mm_packus_epi16(_mm_and_si128(first, mask), _mm_and_si128(second, mask));
    const __m128i high = _mm_packus_epi16(_mm_srli_epi16(first, 8), _mm_srli_epi16(second, 8));
    const __m256i lows = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(low), detail::raw(a));
    const __m256i highs = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(high), detail::raw(a));
    return detail::lanes(_mm256_or_si256(_mm256_and_si256(lows, even), _mm256_slli_epi16(highs, 8)));
}

// --- bytes ------------------------------------------------------------------------------------------------

/// One byte for each lane; the address is a multiple of 16.
SUDOKUMILL_INLINE Lanes from_bytes(const std::uint8_t* bytes) {
    return detail::lanes(_mm256_cvtepu8_epi16(_mm_load_si128((const __m128i*)bytes)));
}
SUDOKUMILL_INLINE void to_bytes(Lanes a, std::uint8_t* bytes) {
    const __m256i r = detail::raw(a);
    _mm_store_si128((__m128i*)bytes, _mm_packus_epi16(_mm256_castsi256_si128(r), _mm256_extracti128_si256(r, 1)));
}

} // namespace sudokumill::avx2
