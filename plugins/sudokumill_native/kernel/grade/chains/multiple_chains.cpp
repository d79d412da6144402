#include "multiple_chains.hpp"

#include <utility>

#include "../hint.hpp"
#include "chain_memory.hpp"
#include "length.hpp"
#include "multiple_search.hpp"
#include "trace.hpp"

namespace sudokumill::explainer {
namespace {

using namespace chains;

constexpr Tenths kMultiple = 80;

template <int Words> void add(const SharedConclusion& conclusion, const Chase<Words>& chase, Search& search) {
    Hint hint{.technique =
                  conclusion.region < 0 ? Technique::cell_forcing_chains : Technique::region_forcing_chains,
              .rating = static_cast<Tenths>(kMultiple + length_tenths(conclusion.complexity)),
              .regions = conclusion.region < 0 ? 0 : std::uint32_t{1} << conclusion.region,
              .complexity = static_cast<std::uint32_t>(conclusion.complexity)};
    if (!search.hints.keeps(hint.rating, hint.complexity)) {
        return;
    }
    const auto target = static_cast<std::size_t>(conclusion.target);
    const int cell = chase.links.cell[target];
    const int digit = chase.links.digit[target];
    Branches branches;
    for (std::size_t which = 0; which < conclusion.starts.size(); ++which) {
        const int start = conclusion.starts[which];
        const int level = conclusion.levels[which];
        const int last = conclusion.on ? conclusion.target
                                       : first_in(chase.from_on.at(level, start) & chase.links.weak[target]);
        name_chain(chase.from_on, start, last, level, hint);
        if (search.branches != nullptr) {
            Branch branch{
                node_of(chase.links, start, true), nodes_of(chase.from_on, start, last, level, true), {}};
            branch.nodes.push_back(node_of(chase.links, conclusion.target, conclusion.on));
            branches.push_back(std::move(branch));
        }
    }
    if (search.branches != nullptr) {
        hint.branches = search.branches->add(std::move(branches));
    }
    hint.cells.add(cell);
    hint.digits = static_cast<NineBits>(hint.digits | bit_of(digit));
    if (conclusion.on) {
        hint.placed_cell = cell;
        hint.placed_digit = digit;
    } else {
        hint.eliminations.add(cell, digit);
    }
    search.hints.add(hint);
}

template <int Words> void find(const CandidateGrid& grid, Chase<Words>& chase, Search& search) {
    MultipleSearch<Words>(grid, chase).run([&](const SharedConclusion& conclusion) {
        add(conclusion, chase, search);
    });
}

} // namespace

void find_multiple_chains(const CandidateGrid& grid, Search& search) {
    const int candidates = grid.all_candidates().size();
    if (!search.budget.spend(static_cast<std::uint64_t>(candidates))) {
        return;
    }
    with_memory(search, [&](ChainMemory& memory) {
        if (candidates > Links<4>::kMost) {
            find(grid, memory.of_static.mixed_large, search);
        } else {
            find(grid, memory.of_static.mixed, search);
        }
    });
}

} // namespace sudokumill::explainer
