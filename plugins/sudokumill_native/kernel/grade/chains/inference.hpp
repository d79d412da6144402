// What a whole technique concludes in the middle of a chain.
#pragma once

#include <vector>

#include "../technique.hpp"

namespace sudokumill::explainer::chains {

/// Candidates that a technique eliminates, once others have gone.
struct Inference {
    CandidateSet gone;
    CandidateSet because; // candidates of the grid before the chain that had to go first
    int complexity = 0;   // of a chain inside the chain
    Technique technique{};
};

/// Techniques that are tried when a chain has come to its end.
class Inferrer {
  public:
    virtual ~Inferrer() = default;

    /// Finds what the first technique that finds anything makes of a grid.
    ///
    /// Only what needs the chain counts: what could be seen in the grid before it is left out.
    ///
    /// Args:
    ///     before: the grid that the chain started from
    ///     now: what the chain has left of it
    ///     budget: where it does not reach, less is found, and it is then exhausted
    ///     found: takes the inferences
    virtual void infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
                       std::vector<Inference>& found) = 0;
};

} // namespace sudokumill::explainer::chains
