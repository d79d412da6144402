// A hint: something that a technique sees in a grid. And the sink that collects those of one look.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cell_set.hpp"
#include "technique.hpp"

namespace sudokumill::explainer {

/// What a technique has found, and what follows from it.
struct Hint {
    Technique technique;
    Tenths rating;
    CellSet cells{};              // of the pattern
    NineBits digits = 0;          // of the pattern
    std::uint32_t regions = 0;    // bit r: the pattern lies in region r and uses all that the region has
    CandidateSet eliminations{};  // all are candidates of the grid; none with a placement
    int placed_cell = -1;         // -1: no placement
    int placed_digit = 0;         // 0 .. 8
    std::uint32_t complexity = 0; // of chains; of unique loops the type: among equal ratings the least is kept
    int branches = -1;            // of chains: their number in the search's BranchStore; -1: nobody asked for them
};

/// The hints of one look at a grid: of those with the lowest rating those with the least complexity, each effect
/// once.
class HintSink {
  public:
    /// Forgets all, and keeps the memory.
    void clear();

    /// Whether a hint of this rating and complexity could be kept: it is not above another hint.
    bool keeps(Tenths rating, std::uint32_t complexity) const {
        return rating < rating_ || (rating == rating_ && complexity <= complexity_);
    }

    /// Takes a hint, unless it neither places nor eliminates anything, is not kept, or has the effect of another.
    void add(const Hint& hint);

    /// Those that were kept.
    std::span<const Hint> hints() const { return {hints_.data(), count_}; }

    bool empty() const { return count_ == 0; }

    /// The rating of all hints; there must be one.
    Tenths rating() const { return rating_; }

  private:
    static constexpr Tenths kNoRating = 65535;

    // The first `count_` are in use; the others are memory for later.
    std::vector<Hint> hints_;
    std::vector<std::uint64_t> signatures_;
    std::size_t count_ = 0;
    Tenths rating_ = kNoRating;
    std::uint32_t complexity_ = 0;
};

} // namespace sudokumill::explainer
