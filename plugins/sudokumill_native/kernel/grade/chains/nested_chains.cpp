#include "nested_chains.hpp"

#include "chain_memory.hpp"

namespace sudokumill::explainer {

using namespace chains;

void find_nested_forcing_chains(const CandidateGrid& grid, Search& search) {
    find_oriented(grid, search, [](const CandidateGrid& turned, Search& with) {
        ChainMemory& memory = *with.chain_memory;
        InnerForcingChains forcing(memory.of_static);
        FirstOf inner({&memory.plus_rules, &forcing});
        find_level(turned, with, {95, Technique::nested_forcing_cell_chains, &inner});
    });
}

void find_nested_multiple_chains(const CandidateGrid& grid, Search& search) {
    find_oriented(grid, search, [](const CandidateGrid& turned, Search& with) {
        ChainMemory& memory = *with.chain_memory;
        InnerForcingChains forcing(memory.of_static);
        InnerMultipleChains multiple(memory.of_static);
        FirstOf inner({&memory.plus_rules, &forcing, &multiple});
        find_level(turned, with, {100, Technique::nested_multiple_cell_chains, &inner});
    });
}

void find_nested_dynamic_chains(const CandidateGrid& grid, Search& search) {
    find_oriented(grid, search, [](const CandidateGrid& turned, Search& with) {
        ChainMemory& memory = *with.chain_memory;
        const auto dynamic = std::make_unique<InnerDynamicChains>(nullptr);
        FirstOf inner({&memory.plus_rules, dynamic.get()});
        find_level(turned, with, {105, Technique::nested_dynamic_cell_chains, &inner});
    });
}

void find_nested_dynamic_plus_chains(const CandidateGrid& grid, Search& search) {
    find_oriented(grid, search, [](const CandidateGrid& turned, Search& with) {
        ChainMemory& memory = *with.chain_memory;
        InnerForcingChains forcing(memory.of_static);
        FirstOf innermost({&memory.plus_rules, &forcing});
        const auto dynamic = std::make_unique<InnerDynamicChains>(nullptr);
        const auto nested = std::make_unique<InnerDynamicChains>(&innermost);
        FirstOf inner({&memory.plus_rules, dynamic.get(), nested.get()});
        find_level(turned, with, {110, Technique::nested_dynamic_plus_cell_chains, &inner});
    });
}

} // namespace sudokumill::explainer
