#include "implications.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace sudokumill::explainer::chains {
namespace {

constexpr std::array<Why, 3> kRegionKinds = {Why::box, Why::row, Why::column}; // as in Layout::regions_of

/// Derives the nodes of a branch from its assumption, round by round.
class Derivation {
  public:
    Derivation(const CandidateGrid& grid, const Branch& branch) : grid_(grid), branch_(branch) {
        for (auto& of_state : number_of_) {
            for (auto& of_cell : of_state) {
                of_cell.fill(-1);
            }
        }
        take({branch.assumption, Why::assumed, {}, {}});
    }

    Chain run() {
        std::vector<Node> left;
        for (const Node& node : branch_.nodes) {
            if (node != branch_.assumption && std::ranges::find(left, node) == left.end()) {
                left.push_back(node);
            }
        }
        // Whole techniques are asked where links lead no further, as the search does.
        while (round(left, &Derivation::by_link) || round(left, &Derivation::by_technique)) {
        }
        return std::move(chain_);
    }

  private:
    using Rule = std::optional<Implication> (Derivation::*)(const Node&) const;

    /// Takes what follows from the nodes so far. False if that is nothing.
    bool round(std::vector<Node>& left, Rule rule) {
        std::vector<Implication> found;
        std::vector<Node> still_left;
        for (const Node& node : left) {
            if (std::optional<Implication> implication = (this->*rule)(node)) {
                found.push_back(*std::move(implication));
            } else {
                still_left.push_back(node);
            }
        }
        left = std::move(still_left);
        for (Implication& implication : found) {
            take(std::move(implication));
        }
        return !found.empty();
    }

    void take(Implication implication) {
        number(implication.node) = static_cast<int>(chain_.size());
        chain_.push_back(std::move(implication));
    }

    std::optional<Implication> by_link(const Node& node) const { return node.on ? as_last(node) : as_seen(node); }

    /// Off, since another one that it sees is on; of several the first.
    std::optional<Implication> as_seen(const Node& node) const {
        for (std::size_t at = 0; at < chain_.size(); ++at) {
            const Node& other = chain_[at].node;
            const bool same_cell = other.cell == node.cell;
            if (!other.on || same_cell == (other.digit == node.digit)) {
                continue;
            }
            if (same_cell) {
                return Implication{node, Why::cell, {}, {static_cast<int>(at)}};
            }
            for (std::size_t kind = 0; kind < 3; ++kind) {
                if (region_of(node.cell, kind) == region_of(other.cell, kind)) {
                    return Implication{node, kRegionKinds[kind], {}, {static_cast<int>(at)}};
                }
            }
        }
        return std::nullopt;
    }

    /// On, as the last candidate of its cell, or of its digit in a region.
    std::optional<Implication> as_last(const Node& node) const {
        std::optional<Implication> found = if_off(node, Why::cell, [&](auto&& need) {
            for_each_bit(static_cast<NineBits>(grid_.candidates(node.cell) & ~bit_of(node.digit)),
                         [&](int digit) { need(node.cell, digit); });
        });
        for (std::size_t kind = 0; kind < 3 && !found; ++kind) {
            found = if_off(node, kRegionKinds[kind], [&](auto&& need) {
                const CellSet places = grid_.cells_with(node.digit) &
                                       kLayout.region[static_cast<std::size_t>(region_of(node.cell, kind))];
                for_each_cell(places.without(CellSet::of(node.cell)), [&](int cell) { need(cell, node.digit); });
            });
        }
        return found;
    }

    /// The same for what a technique has ruled out.
    std::optional<Implication> by_technique(const Node& node) const {
        if (node.on) {
            return std::nullopt;
        }
        for (const Inference& inference : branch_.inferences) {
            if (inference.gone.contains(node.cell, node.digit)) {
                auto found = if_off(node, Why::technique, [&](auto&& need) {
                    for (int digit = 0; digit < kDigits; ++digit) {
                        for_each_cell(inference.because[digit], [&](int cell) { need(cell, digit); });
                    }
                });
                if (found) {
                    found->technique = inference.technique;
                    return found;
                }
            }
        }
        return std::nullopt;
    }

    /// The implication, if all candidates that it needs to be off are.
    template <typename Needed>
    std::optional<Implication> if_off(const Node& node, Why why, Needed&& for_each_needed) const {
        Implication implication{node, why, {}, {}};
        bool all = true;
        for_each_needed([&](int cell, int digit) {
            const int at = number({cell, digit, false});
            all = all && at >= 0;
            implication.since.push_back(at);
        });
        if (!all) {
            return std::nullopt;
        }
        std::ranges::sort(implication.since);
        return implication;
    }

    static int region_of(int cell, std::size_t kind) {
        return kLayout.regions_of[static_cast<std::size_t>(cell)][kind];
    }

    int& number(const Node& node) {
        return number_of_[node.on ? 1 : 0][static_cast<std::size_t>(node.cell)]
                         [static_cast<std::size_t>(node.digit)];
    }
    int number(const Node& node) const {
        return number_of_[node.on ? 1 : 0][static_cast<std::size_t>(node.cell)]
                         [static_cast<std::size_t>(node.digit)];
    }

    const CandidateGrid& grid_;
    const Branch& branch_;
    Chain chain_;
    std::array<std::array<std::array<int, kDigits>, kCells>, 2> number_of_; // in the chain; -1: not there yet
};

} // namespace

Chain chain_of(const CandidateGrid& grid, const Branch& branch) { return Derivation(grid, branch).run(); }

} // namespace sudokumill::explainer::chains
