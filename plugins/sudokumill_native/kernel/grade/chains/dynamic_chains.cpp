#include "dynamic_chains.hpp"

#include "chain_memory.hpp"

namespace sudokumill::explainer {

using namespace chains;

void find_dynamic_chains(const CandidateGrid& grid, Search& search) {
    find_oriented(grid, search, [](const CandidateGrid& turned, Search& with) {
        find_level(turned, with, {85, Technique::dynamic_cell_forcing_chains, nullptr});
    });
}

void find_dynamic_plus_chains(const CandidateGrid& grid, Search& search) {
    find_oriented(grid, search, [](const CandidateGrid& turned, Search& with) {
        find_level(turned, with,
                   {90, Technique::dynamic_cell_forcing_chains_plus, &with.chain_memory->plus_rules});
    });
}

} // namespace sudokumill::explainer
