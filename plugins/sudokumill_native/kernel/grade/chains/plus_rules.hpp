// The four techniques that the (+) chains try in the middle of a chain.
#pragma once

#include "../hint.hpp"
#include "inference.hpp"

namespace sudokumill::explainer::chains {

/// Locked candidates, hidden pair, naked pair, X-wing, in this order; the first that finds anything ends the try.
class PlusRules : public Inferrer {
  public:
    void infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
               std::vector<Inference>& found) override;

  private:
    HintSink hints_;
};

} // namespace sudokumill::explainer::chains
