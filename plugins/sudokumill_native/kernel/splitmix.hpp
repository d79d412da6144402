// The only source of chance: a stream of 64-bit words for each seed, the same on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace sudokumill {

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
///
/// The distributions of <random> are left to each standard library, so a row would depend on who compiled it;
/// what is drawn here is written out instead.
class SplitMix64 {
  public:
    explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t word() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t word = state_;
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9U;
        word = (word ^ (word >> 27)) * 0x94D049BB133111EBU;
        return word ^ (word >> 31);
    }

    /// A number in 0 .. bound-1: the top 32 bits, scaled. Some numbers come up more often than others, by less
    /// than bound / 2^32 of their frequency.
    constexpr int below(int bound) {
        return static_cast<int>(((word() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
    }

    /// Fisher-Yates: every order is as likely as any other, but for the bias of below().
    template <typename T, std::size_t extent> constexpr void shuffle(std::span<T, extent> items) {
        for (int last = static_cast<int>(items.size()) - 1; last > 0; --last) {
            std::swap(items[last], items[below(last + 1)]);
        }
    }

  private:
    std::uint64_t state_;
};

} // namespace sudokumill
