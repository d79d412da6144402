// The memory that the chaining techniques keep from one call to the next.
#pragma once

#include <memory>

#include "../technique.hpp"
#include "dynamic_level.hpp"
#include "inner_chains.hpp"
#include "orientation.hpp"
#include "plus_rules.hpp"
#include "static_memory.hpp"

namespace sudokumill::explainer {

/// One for each thread. Nothing in it outlives a call but the memory itself.
struct ChainMemory {
    chains::StaticMemory of_static;
    chains::Field<1> digit_field;
    chains::Consequences<1> digit_consequences;
    chains::DynamicSearch<4> dynamic;
    chains::DynamicSearch<9> dynamic_large; // where there are more than 256 candidates
    chains::PlusRules plus_rules;
    chains::Orientation orientation;
};

using OwnedChainMemory = std::unique_ptr<ChainMemory, void (*)(ChainMemory*)>;

OwnedChainMemory make_chain_memory();

/// Calls `act` with the memory of a search, or with new memory if it has none.
template <typename Act> void with_memory(const Search& search, Act&& act) {
    if (search.chain_memory != nullptr) {
        act(*search.chain_memory);
    } else {
        act(*make_chain_memory());
    }
}

/// Calls a technique in the canonical orientation. It finds memory in its search.
inline void find_oriented(const CandidateGrid& grid, Search& search, Find technique) {
    with_memory(search, [&](ChainMemory& memory) {
        Search with{.hints = search.hints,
                    .budget = search.budget,
                    .chain_memory = &memory,
                    .solution = search.solution,
                    .branches = search.branches};
        memory.orientation.find(grid, with, technique);
    });
}

/// Gives the hints of one level of dynamic chains. The search must have memory.
inline void find_level(const CandidateGrid& grid, Search& search, const chains::DynamicLevel& level) {
    ChainMemory& memory = *search.chain_memory;
    if (grid.all_candidates().size() > chains::Field<4>::kMost) {
        chains::find_dynamic(grid, level, memory.dynamic_large, search);
    } else {
        chains::find_dynamic(grid, level, memory.dynamic, search);
    }
}

} // namespace sudokumill::explainer
