// What a chain inside a chain needs of the outer one.
#pragma once

#include "../candidate_grid.hpp"

namespace sudokumill::explainer::chains {

/// Gathers the candidates that had to go before a chain could be seen.
///
/// Where the inner chain says that a candidate is the last one of its cell, or of its digit in a region, it needs
/// that those are gone which the cell or region had in the grid before the outer chain.
class Reasons {
  public:
    Reasons(const CandidateGrid& before, const CandidateGrid& now) : before_(before), now_(now) {}

    void clear() { because_ = CandidateSet{}; }

    void add_cell(int cell) {
        for_each_bit(static_cast<NineBits>(before_.candidates(cell) & ~now_.candidates(cell)),
                     [&](int digit) { because_.add(cell, digit); });
    }

    void add_region(int region, int digit) {
        because_[digit] |= (before_.cells_with(digit) & kLayout.region[static_cast<std::size_t>(region)])
                               .without(now_.cells_with(digit));
    }

    const CandidateSet& because() const { return because_; }

  private:
    const CandidateGrid& before_;
    const CandidateGrid& now_;
    CandidateSet because_;
};

} // namespace sudokumill::explainer::chains
