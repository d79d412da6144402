// One level of dynamic chains as a technique.
#pragma once

#include "../hint.hpp"
#include "dynamic_search.hpp"
#include "implications.hpp"
#include "length.hpp"

namespace sudokumill::explainer::chains {

/// What makes one level of dynamic chains differ from the others.
struct DynamicLevel {
    Tenths least;       // rating without what length adds
    Technique cell;     // the next three are region, contradiction and double
    Inferrer* inferrer; // nullptr: links only
};

/// The hints of a level: the simplest conclusions of a search, and the cells and digits of their chains.
template <int Words> class LevelHints {
  public:
    LevelHints(const DynamicLevel& level, DynamicSearch<Words>& dynamic, Search& search)
        : level_(level), dynamic_(dynamic), search_(search) {}

    void find(const CandidateGrid& grid) {
        const auto keeps = [&](int complexity) {
            return simplest_ == 0 || complexity <= simplest_; // the simpler, the lower the rating
        };
        const bool complete = dynamic_.run(grid, level_.inferrer, search_.budget, keeps,
                                           [&](const Conclusion& conclusion) { note(conclusion); });
        if (complete && !kept_.empty()) {
            name_chains();
        }
    }

  private:
    struct Kept {
        Hint hint;
        int target;
        bool on;
        bool contradiction;
        std::vector<int> starts;
    };

    Tenths rating_of(int complexity) const {
        return static_cast<Tenths>(level_.least + length_tenths(complexity));
    }

    void note(const Conclusion& conclusion) {
        if (conclusion.complexity != simplest_) {
            simplest_ = conclusion.complexity;
            kept_.clear();
        }
        Hint hint{.technique = of_kind(level_.cell, conclusion.kind),
                  .rating = rating_of(conclusion.complexity),
                  .regions = conclusion.region < 0 ? 0 : std::uint32_t{1} << conclusion.region,
                  .complexity = static_cast<std::uint32_t>(conclusion.complexity)};
        const int cell = dynamic_.field().cell[static_cast<std::size_t>(conclusion.target)];
        const int digit = dynamic_.field().digit[static_cast<std::size_t>(conclusion.target)];
        if (conclusion.on) {
            hint.placed_cell = cell;
            hint.placed_digit = digit;
        } else {
            hint.eliminations.add(cell, digit);
        }
        kept_.push_back({hint,
                         conclusion.target,
                         conclusion.on,
                         conclusion.kind == DynamicKind::contradiction,
                         {conclusion.starts.begin(), conclusion.starts.end()}});
    }

    /// Follows the assumptions once more, to see what the chains are made of.
    void name_chains() {
        for (Kept& kept : kept_) {
            Branches branches;
            for (const int start : kept.starts) {
                if (!search_.budget.spend() || !dynamic_.follow(start, level_.inferrer, search_.budget)) {
                    return;
                }
                const Consequences<Words>& consequences = dynamic_.consequences();
                const Bits<2 * Words>& nodes = kept.contradiction ? consequences.contradiction_nodes()
                                               : kept.on          ? consequences.nodes().of_on(kept.target)
                                                                  : consequences.nodes().of_off(kept.target);
                name(nodes, kept.hint);
                if (search_.branches != nullptr) {
                    branches.push_back(branch_of(start, nodes));
                }
            }
            if (search_.branches != nullptr) {
                kept.hint.branches = search_.branches->add(std::move(branches));
            }
            search_.hints.add(kept.hint);
        }
    }

    void name(const Bits<2 * Words>& nodes, Hint& hint) {
        for_each(nodes, [&](int node) {
            const auto candidate = static_cast<std::size_t>(node % Field<Words>::kMost);
            hint.cells.add(dynamic_.field().cell[candidate]);
            hint.digits = static_cast<NineBits>(hint.digits | bit_of(dynamic_.field().digit[candidate]));
        });
    }

    /// The branch of the assumption that was followed last.
    Branch branch_of(int start, const Bits<2 * Words>& nodes) const {
        const Field<Words>& field = dynamic_.field();
        const auto node_at = [&](int candidate, bool on) {
            const auto index = static_cast<std::size_t>(candidate);
            return Node{field.cell[index], field.digit[index], on};
        };
        Branch branch{node_at(start / 2, (start & 1) == 0), {}, dynamic_.consequences().nodes().inferences()};
        for_each(nodes, [&](int node) {
            branch.nodes.push_back(node_at(node % Field<Words>::kMost, node < Field<Words>::kMost));
        });
        return branch;
    }

    const DynamicLevel& level_;
    DynamicSearch<Words>& dynamic_;
    Search& search_;
    int simplest_ = 0; // complexity of those that are kept; 0: none
    std::vector<Kept> kept_;
};

/// Gives the hints of a level to the sink.
template <int Words>
void find_dynamic(const CandidateGrid& grid, const DynamicLevel& level, DynamicSearch<Words>& dynamic,
                  Search& search) {
    LevelHints<Words>(level, dynamic, search).find(grid);
}

} // namespace sudokumill::explainer::chains
