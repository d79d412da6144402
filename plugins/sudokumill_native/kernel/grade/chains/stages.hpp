// In which order cycles and forcing chains are looked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "length.hpp"

namespace sudokumill::explainer::chains {

constexpr Tenths kCycle = 65;
constexpr Tenths kXChain = 66;
constexpr Tenths kMixed = 70;

/// What is looked for at one rating: chains of one kind and length.
struct Stage {
    enum class Kind : std::uint8_t { digit_cycle, bivalue_cycle, digit_chain, mixed_cycle, mixed_chain };

    Tenths rating;
    Kind kind;
    int length;
};

// Shorter ones are found before: locked candidates, pairs and X-wings.
constexpr int kShortest = 6;
constexpr int kLongest = 128; // candidates of 64 cells, each on and off

/// All stages, the lowest rating first; within one rating the shorter chains first.
constexpr auto kStages = [] {
    using enum Stage::Kind;
    constexpr std::array<std::pair<Stage::Kind, Tenths>, 5> kinds = {{{digit_cycle, kCycle},
                                                                      {bivalue_cycle, kCycle},
                                                                      {digit_chain, kXChain},
                                                                      {mixed_cycle, kMixed},
                                                                      {mixed_chain, kMixed}}};
    std::array<Stage, kinds.size() * ((kLongest - kShortest) / 2 + 1)> stages{};
    std::size_t count = 0;
    for (int length = kShortest; length <= kLongest; length += 2) {
        for (const auto& [kind, rating] : kinds) {
            stages[count++] = {static_cast<Tenths>(rating + length_tenths(length)), kind, length};
        }
    }
    std::ranges::sort(stages, [](const Stage& one, const Stage& other) {
        return one.rating != other.rating   ? one.rating < other.rating
               : one.length != other.length ? one.length < other.length
                                            : one.kind < other.kind;
    });
    return stages;
}();

} // namespace sudokumill::explainer::chains
