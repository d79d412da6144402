#include <algorithm>
#include <utility>

#include "best_inferences.hpp"
#include "inner_chains.hpp"
#include "length.hpp"
#include "reasons.hpp"

namespace sudokumill::explainer::chains {
namespace {

constexpr Tenths kDynamic = 85;
constexpr Tenths kNested = 95;

/// The search for inner dynamic chains, first for what they cost, then for what they need.
///
/// Most chains that are found have the same effect as a simpler one; so only those that are kept are followed
/// again.
template <int Words> class InnerSearch {
  public:
    InnerSearch(DynamicSearch<Words>& dynamic, const CandidateGrid& before, const CandidateGrid& now,
                Inferrer* inferrer, Budget& budget)
        : dynamic_(dynamic), now_(now), inferrer_(inferrer), budget_(budget), reasons_(before, now) {}

    void run(std::vector<Inference>& found) {
        BestInferences best(now_);
        const Tenths least = inferrer_ == nullptr ? kDynamic : kNested;
        const Technique cell_chains =
            inferrer_ == nullptr ? Technique::dynamic_cell_forcing_chains : Technique::nested_forcing_cell_chains;
        const bool complete = dynamic_.run(
            now_, inferrer_, budget_, [](int) { return true; },
            [&](const Conclusion& conclusion) {
                const auto target = static_cast<std::size_t>(conclusion.target);
                const auto rating = static_cast<Tenths>(least + length_tenths(conclusion.complexity));
                const Field<Words>& field = dynamic_.field();
                const int number = best.offer(field.cell[target], field.digit[target], conclusion.on, rating,
                                              conclusion.complexity, of_kind(cell_chains, conclusion.kind));
                if (number >= 0) {
                    note(conclusion, static_cast<std::size_t>(number));
                }
            });
        if (complete && look_again(best)) {
            best.give(found);
        }
    }

  private:
    // A chain that is kept, under the number of its inference.
    struct Kept {
        int target;
        bool on;
        DynamicKind kind;
        int region;
        std::vector<int> starts;
    };

    void note(const Conclusion& conclusion, std::size_t number) {
        if (kept_.size() <= number) {
            kept_.resize(number + 1);
        }
        kept_[number] = {conclusion.target,
                         conclusion.on,
                         conclusion.kind,
                         conclusion.region,
                         {conclusion.starts.begin(), conclusion.starts.end()}};
    }

    /// Follows each assumption that is needed once more, for the reasons. False if the budget does not reach so
    /// far.
    bool look_again(BestInferences& best) {
        std::vector<std::pair<int, int>> needed; // start, number of the chain
        for (std::size_t number = 0; number < kept_.size(); ++number) {
            for (const int start : kept_[number].starts) {
                needed.emplace_back(start, static_cast<int>(number));
            }
        }
        std::ranges::sort(needed);
        int followed = -1;
        for (const auto& [start, number] : needed) {
            if (start != followed && (!budget_.spend() || !dynamic_.follow(start, inferrer_, budget_))) {
                return false;
            }
            followed = start;
            const Kept& kept = kept_[static_cast<std::size_t>(number)];
            reasons_.clear();
            add_choice(kept, start / 2);
            const Consequences<Words>& consequences = dynamic_.consequences();
            add_nodes(kept.kind == DynamicKind::contradiction ? consequences.contradiction_nodes()
                      : kept.on                               ? consequences.nodes().of_on(kept.target)
                                                              : consequences.nodes().of_off(kept.target));
            best.at(number).because |= reasons_.because();
        }
        return true;
    }

    /// That there is no choice but the starts.
    void add_choice(const Kept& kept, int start) {
        const auto index = static_cast<std::size_t>(start);
        if (kept.kind == DynamicKind::cell) {
            reasons_.add_cell(dynamic_.field().cell[index]);
        } else if (kept.kind == DynamicKind::region) {
            reasons_.add_region(kept.region, dynamic_.field().digit[index]);
        }
    }

    void add_nodes(const Bits<2 * Words>& nodes) {
        const Field<Words>& field = dynamic_.field();
        for_each(nodes, [&](int node) {
            if (node >= Field<Words>::kMost) {
                return;
            }
            const auto index = static_cast<std::size_t>(node);
            const Cause cause = dynamic_.consequences().nodes().cause(node);
            if (cause == Cause::cell) {
                reasons_.add_cell(field.cell[index]);
            } else if (cause != Cause::assumed) {
                reasons_.add_region(kLayout.regions_of[field.cell[index]][static_cast<std::size_t>(cause)],
                                    field.digit[index]);
            }
        });
    }

    DynamicSearch<Words>& dynamic_;
    const CandidateGrid& now_;
    Inferrer* inferrer_;
    Budget& budget_;
    Reasons reasons_;
    std::vector<Kept> kept_;
};

} // namespace

void InnerDynamicChains::infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
                               std::vector<Inference>& found) {
    if (now.all_candidates().size() > Field<4>::kMost) {
        InnerSearch<9>(dynamic_large_, before, now, inferrer_, budget).run(found);
    } else {
        InnerSearch<4>(dynamic_, before, now, inferrer_, budget).run(found);
    }
}

} // namespace sudokumill::explainer::chains
