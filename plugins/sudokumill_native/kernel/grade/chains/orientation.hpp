// One orientation for all grids that are essentially the same.
#pragma once

#include <vector>

#include "../../canonical.hpp"
#include "../hint.hpp"
#include "../techniques.hpp"
#include "implications.hpp"

namespace sudokumill::explainer::chains {

/// Lets a technique see a grid as all grids that are essentially the same look once they are turned and
/// relabelled.
///
/// From nishio up, which of two equally good parents a node of a chain gets depends on the order of cells and
/// digits, and with it what the chain costs. So the technique is called with the image of the grid under an
/// isomorphism that takes the solution to its canonical form (of several, one with the least image of the grid),
/// and what it finds is turned back. Rules that need no order were tried: they agree worse with the original.
class Orientation {
  public:
    /// Calls the technique with the image of the grid, and gives its hints to the search.
    ///
    /// Of a grid whose solution the search does not know there is no such image; the technique sees the grid
    /// itself.
    void find(const CandidateGrid& grid, Search& search, Find technique);

  private:
    // Of the last grid: the steps of a puzzle have one solution.
    Grid solution_{};
    std::vector<Isomorphism> isomorphisms_;
    HintSink hints_;
    BranchStore branches_;
};

} // namespace sudokumill::explainer::chains
