#include "nishio.hpp"

#include "../hint.hpp"
#include "chain_memory.hpp"
#include "implications.hpp"
#include "length.hpp"

namespace sudokumill::explainer {
namespace {

using namespace chains;

constexpr Tenths kNishio = 75;

void add(int start, int digit, bool was_on, const ChainMemory& memory, Search& search) {
    const int complexity = memory.digit_consequences.contradiction();
    Hint hint{.technique = Technique::nishio,
              .rating = static_cast<Tenths>(kNishio + length_tenths(complexity)),
              .digits = bit_of(digit),
              .complexity = static_cast<std::uint32_t>(complexity)};
    const auto& cells = memory.digit_field.cell;
    for_each(memory.digit_consequences.contradiction_nodes(),
             [&](int node) { hint.cells.add(cells[static_cast<std::size_t>(node % Field<1>::kMost)]); });
    if (was_on) {
        hint.eliminations.add(cells[static_cast<std::size_t>(start)], digit);
    } else {
        hint.placed_cell = cells[static_cast<std::size_t>(start)];
        hint.placed_digit = digit;
    }
    if (search.branches != nullptr) {
        Branch branch{{cells[static_cast<std::size_t>(start)], digit, was_on}, {}, {}};
        for_each(memory.digit_consequences.contradiction_nodes(), [&](int node) {
            branch.nodes.push_back(
                {cells[static_cast<std::size_t>(node % Field<1>::kMost)], digit, node < Field<1>::kMost});
        });
        hint.branches = search.branches->add({std::move(branch)});
    }
    search.hints.add(hint);
}

void find(const CandidateGrid& grid, Search& search) {
    ChainMemory& memory = *search.chain_memory;
    Field<1>& field = memory.digit_field;
    for (int digit = 0; digit < kDigits; ++digit) {
        field.take_digit(grid, digit);
        if (!search.budget.spend(2 * static_cast<std::uint64_t>(field.count))) {
            return;
        }
        for (int start = 0; start < field.count; ++start) {
            for (const bool on : {true, false}) {
                memory.digit_consequences.follow(field, start, on);
                if (memory.digit_consequences.contradiction() != 0) {
                    add(start, digit, on, memory, search);
                }
            }
        }
    }
}

} // namespace

void find_nishio(const CandidateGrid& grid, Search& search) { find_oriented(grid, search, &find); }

} // namespace sudokumill::explainer
