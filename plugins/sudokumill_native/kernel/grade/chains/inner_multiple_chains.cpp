#include "best_inferences.hpp"
#include "inner_chains.hpp"
#include "length.hpp"
#include "multiple_search.hpp"
#include "trace.hpp"

namespace sudokumill::explainer::chains {
namespace {

constexpr Tenths kMultiple = 80;

template <int Words>
void find(const CandidateGrid& before, const CandidateGrid& now, Chase<Words>& chase, BestInferences& best) {
    const Links<Words>& links = chase.links;
    Reasons reasons(before, now);
    MultipleSearch<Words>(now, chase).run([&](const SharedConclusion& conclusion) {
        const auto target = static_cast<std::size_t>(conclusion.target);
        if (count_of(now.candidates(links.cell[target])) < 2) {
            return;
        }
        const auto rating = static_cast<Tenths>(kMultiple + length_tenths(conclusion.complexity));
        const int number =
            best.offer(links.cell[target], links.digit[target], conclusion.on, rating, conclusion.complexity,
                       conclusion.region < 0 ? Technique::cell_forcing_chains : Technique::region_forcing_chains);
        if (number < 0) {
            return;
        }
        const auto first_start = static_cast<std::size_t>(conclusion.starts[0]);
        reasons.clear();
        if (conclusion.region < 0) {
            reasons.add_cell(links.cell[first_start]);
        } else {
            reasons.add_region(conclusion.region, links.digit[first_start]);
        }
        for (std::size_t which = 0; which < conclusion.starts.size(); ++which) {
            const int start = conclusion.starts[which];
            const int level = conclusion.levels[which];
            const int last =
                conclusion.on ? conclusion.target : first_in(chase.from_on.at(level, start) & links.weak[target]);
            add_chain(chase.from_on, now, start, last, level, true, reasons);
        }
        best.at(number).because = reasons.because();
    });
}

} // namespace

void InnerMultipleChains::infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
                                std::vector<Inference>& found) {
    const int candidates = now.all_candidates().size();
    // All starts go together, which costs as much as an eighth of them would one by one.
    if (!budget.spend(1 + static_cast<std::uint64_t>(candidates) / 8)) {
        return;
    }
    BestInferences best(now);
    if (candidates > Links<4>::kMost) {
        find(before, now, memory_.mixed_large, best);
    } else {
        find(before, now, memory_.mixed, best);
    }
    best.give(found);
}

} // namespace sudokumill::explainer::chains
