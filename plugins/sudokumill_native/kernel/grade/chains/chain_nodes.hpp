// The nodes of chains that start from one assumption, and what a chain to each of them costs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "bits.hpp"
#include "field.hpp"
#include "inference.hpp"

namespace sudokumill::explainer::chains {

/// Why a candidate is on: it is the last of its box, row, column or cell; or it is what a chain starts from.
enum class Cause : std::uint8_t { box, row, column, cell, assumed };

/// A node is a candidate with a state, on or off. Each node but the first has parents, the nodes from which it was
/// concluded, and so ancestors; how many these are is what a chain to the node costs. What was concluded by a
/// chain inside the chain costs as much as that one besides, however many nodes it gave.
template <int Words> class ChainNodes {
  public:
    static constexpr int kMost = Field<Words>::kMost;
    using Set = Bits<Words>;
    using Nodes = Bits<2 * Words>; // candidate: on; kMost + candidate: off

    void clear() {
        on_ = off_ = inferred_ = Set{};
        inferences_.clear();
    }

    /// The candidates that are on, or off.
    const Set& on() const { return on_; }
    const Set& off() const { return off_; }

    /// What a chain to a candidate that is on, or off, costs.
    int on_cost(int candidate) const { return on_cost_[static_cast<std::size_t>(candidate)]; }
    int off_cost(int candidate) const { return off_cost_[static_cast<std::size_t>(candidate)]; }

    /// The nodes of a chain, its end among them.
    const Nodes& of_on(int candidate) const { return of_on_[static_cast<std::size_t>(candidate)]; }
    const Nodes& of_off(int candidate) const { return of_off_[static_cast<std::size_t>(candidate)]; }

    /// Where a candidate that is on was the last one.
    Cause cause(int candidate) const { return causes_[static_cast<std::size_t>(candidate)]; }
    void set_cause(int candidate, Cause cause) { causes_[static_cast<std::size_t>(candidate)] = cause; }

    /// What whole techniques have concluded.
    std::vector<Inference>& inferences() { return inferences_; }
    const std::vector<Inference>& inferences() const { return inferences_; }

    /// Notes that a candidate goes off by one of these.
    void set_inference(int candidate, std::size_t which) {
        if (inferences_[which].complexity > 0) {
            inferred_.set(candidate);
            inference_of_[static_cast<std::size_t>(candidate)] = which;
        }
    }

    void add_on(int candidate, const Nodes& ancestors, int cost, Cause cause) {
        const auto index = static_cast<std::size_t>(candidate);
        causes_[index] = cause;
        on_.set(candidate);
        of_on_[index] = ancestors;
        of_on_[index].set(candidate);
        on_cost_[index] = static_cast<std::uint16_t>(cost);
    }

    void add_off(int candidate, const Nodes& ancestors, int cost) {
        const auto index = static_cast<std::size_t>(candidate);
        off_.set(candidate);
        of_off_[index] = ancestors;
        of_off_[index].set(kMost + candidate);
        off_cost_[index] = static_cast<std::uint16_t>(cost);
    }

    /// What chains of these nodes cost.
    int cost_of(const Nodes& nodes) const { return nodes.size() + inner_cost(nodes); }

    /// The complexity of the chains inside the chains, each counted once; no more than leaves room for all nodes
    /// in 16 bits.
    int inner_cost(const Nodes& nodes) const {
        if (inferred_.empty()) {
            return 0;
        }
        int cost = 0;
        std::vector<bool> counted(inferences_.size());
        for_each(inferred_, [&](int candidate) {
            const std::size_t which = inference_of_[static_cast<std::size_t>(candidate)];
            if (nodes.test(kMost + candidate) && !counted[which]) {
                counted[which] = true;
                cost += inferences_[which].complexity;
            }
        });
        return std::min(cost, kMostInnerCost);
    }

  private:
    static constexpr int kMostInnerCost = 60'000;
    static_assert(kMostInnerCost + 2 * kMost < 1 << 16);

    Set on_;
    Set off_;
    std::array<Cause, kMost> causes_;
    std::array<Nodes, kMost> of_on_;
    std::array<Nodes, kMost> of_off_;
    std::array<std::uint16_t, kMost> on_cost_;
    std::array<std::uint16_t, kMost> off_cost_;
    std::vector<Inference> inferences_;
    Set inferred_; // candidates that are off by a chain inside the chain
    std::array<std::size_t, kMost> inference_of_;
};

} // namespace sudokumill::explainer::chains
