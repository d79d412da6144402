// Sets of candidates as bits, in as few words as the candidates of one grid need.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace sudokumill::explainer::chains {

/// A set of numbers below 64 * Words.
template <int Words> struct Bits {
    std::array<std::uint64_t, Words> words{};

    static constexpr int kSize = 64 * Words;

    static constexpr Bits of(int index) {
        Bits bits;
        bits.set(index);
        return bits;
    }

    constexpr void set(int index) {
        words[static_cast<std::size_t>(index >> 6)] |= std::uint64_t{1} << (index & 63);
    }
    constexpr void reset(int index) {
        words[static_cast<std::size_t>(index >> 6)] &= ~(std::uint64_t{1} << (index & 63));
    }
    constexpr bool test(int index) const {
        return (words[static_cast<std::size_t>(index >> 6)] >> (index & 63) & 1) != 0;
    }

    constexpr bool any() const {
        std::uint64_t all = 0;
        for (const std::uint64_t word : words) {
            all |= word;
        }
        return all != 0;
    }
    constexpr bool empty() const { return !any(); }

    constexpr bool meets(const Bits& other) const {
        std::uint64_t all = 0;
        for (std::size_t word = 0; word < Words; ++word) {
            all |= words[word] & other.words[word];
        }
        return all != 0;
    }

    /// How many there are. Bytes are counted side by side, as the oldest machines have no instruction for it; a
    /// byte of a sum holds 8 a word, so 31 words are not too many.
    constexpr int size() const {
        static_assert(Words <= 31);
        constexpr std::uint64_t pairs = 0x5555555555555555;
        constexpr std::uint64_t fours = 0x3333333333333333;
        constexpr std::uint64_t bytes = 0x0F0F0F0F0F0F0F0F;
        std::uint64_t sum = 0;
        for (std::uint64_t word : words) {
            word -= word >> 1 & pairs;
            word = (word & fours) + (word >> 2 & fours);
            sum += (word + (word >> 4)) & bytes;
        }
        int count = 0;
        for (; sum != 0; sum >>= 8) {
            count += static_cast<int>(sum & 0xFF);
        }
        return count;
    }

    constexpr Bits& operator|=(const Bits& other) {
        for (std::size_t word = 0; word < Words; ++word) {
            words[word] |= other.words[word];
        }
        return *this;
    }
    constexpr Bits& operator&=(const Bits& other) {
        for (std::size_t word = 0; word < Words; ++word) {
            words[word] &= other.words[word];
        }
        return *this;
    }
    constexpr Bits& remove(const Bits& other) {
        for (std::size_t word = 0; word < Words; ++word) {
            words[word] &= ~other.words[word];
        }
        return *this;
    }
    constexpr Bits operator&(const Bits& other) const { return Bits(*this) &= other; }
    constexpr Bits operator|(const Bits& other) const { return Bits(*this) |= other; }
    constexpr bool operator==(const Bits&) const = default;
};

/// Does something for each number of a set, the lowest first.
template <int Words, typename Do> constexpr void for_each(const Bits<Words>& bits, Do&& act) {
    for (int word = 0; word < Words; ++word) {
        for (std::uint64_t rest = bits.words[static_cast<std::size_t>(word)]; rest != 0; rest &= rest - 1) {
            act(word * 64 + std::countr_zero(rest));
        }
    }
}

/// The lowest number of a set; -1: it is empty.
template <int Words> constexpr int first_in(const Bits<Words>& bits) {
    for (int word = 0; word < Words; ++word) {
        if (bits.words[static_cast<std::size_t>(word)] != 0) {
            return word * 64 + std::countr_zero(bits.words[static_cast<std::size_t>(word)]);
        }
    }
    return -1;
}

} // namespace sudokumill::explainer::chains
