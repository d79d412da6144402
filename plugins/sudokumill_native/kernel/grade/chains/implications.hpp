// What the chains of a hint are made of, for those who want to check them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "../candidate_grid.hpp"
#include "inference.hpp"

namespace sudokumill::explainer::chains {

/// A candidate that is right (on) or wrong.
struct Node {
    int cell;
    int digit;
    bool on;

    bool operator==(const Node&) const = default;
};

/// One assumption, and what follows from it, in no order.
struct Branch {
    Node assumption;
    std::vector<Node> nodes;           // the assumption may be among them
    std::vector<Inference> inferences; // of whole techniques in the middle of the chain
};

/// The branches of a hint: one that ends in a contradiction or in the opposite of its assumption, or one for each
/// of several assumptions of which one must be right.
using Branches = std::vector<Branch>;

/// Keeps the branches of hints while a step is looked for.
class BranchStore {
  public:
    void clear() { all_.clear(); }

    /// The number to be given to the hint (Hint::branches).
    int add(Branches branches) {
        all_.push_back(std::move(branches));
        return static_cast<int>(all_.size()) - 1;
    }

    const Branches& at(int number) const { return all_[static_cast<std::size_t>(number)]; }

  private:
    std::vector<Branches> all_;
};

/// Why a node holds.
enum class Why : std::uint8_t {
    assumed,
    cell,      // on: the last candidate of its cell; off: another one there is on
    row,       // on: the last place of the digit in its row; off: the digit is on in another cell of it
    column,    // likewise
    box,       // likewise
    technique, // off: a technique rules it out
};

/// A node, and from which nodes before it it follows.
struct Implication {
    Node node;
    Why why;
    Technique technique;    // where that is why
    std::vector<int> since; // numbers of implications of the same chain, rising
};

/// A chain: its first implication is the assumption, and each of the others follows from some before it.
using Chain = std::vector<Implication>;

/// Puts the nodes of a branch in order, each as soon as it follows.
///
/// Args:
///     grid: the grid that the branch was found in
Chain chain_of(const CandidateGrid& grid, const Branch& branch);

} // namespace sudokumill::explainer::chains
