#include "plus_rules.hpp"

#include <array>
#include <span>

#include "../techniques.hpp"

namespace sudokumill::explainer::chains {
namespace {

/// Places that a digit had in the regions of a hint and has no more.
CellSet lost(const CandidateGrid& before, const CandidateGrid& now, const Hint& hint, int digit) {
    CellSet regions;
    for (int region = 0; region < kRegions; ++region) {
        if ((hint.regions >> region & 1) != 0) {
            regions |= kLayout.region[static_cast<std::size_t>(region)];
        }
    }
    return (before.cells_with(digit) & regions).without(now.cells_with(digit));
}

/// The line or box that locked candidates share with their region. What had gone from there makes no difference.
CellSet shared(const Hint& hint) {
    CellSet all;
    for (int region = 0; region < kRegions; ++region) {
        const CellSet cells = kLayout.region[static_cast<std::size_t>(region)];
        if ((hint.regions >> region & 1) == 0 && (cells & hint.cells).several()) {
            all |= cells;
        }
    }
    return all;
}

/// What had to go before the technique could be seen.
CandidateSet reasons(const CandidateGrid& before, const CandidateGrid& now, const Hint& hint) {
    CandidateSet because;
    switch (hint.technique) {
    case Technique::naked_pair:
        for_each_cell(hint.cells, [&](int cell) {
            for_each_bit(static_cast<NineBits>(before.candidates(cell) & ~hint.digits),
                         [&](int digit) { because.add(cell, digit); });
        });
        break;
    case Technique::hidden_pair:
        for_each_bit(hint.digits,
                     [&](int digit) { because[digit] = lost(before, now, hint, digit).without(hint.cells); });
        break;
    case Technique::x_wing:
        for_each_bit(hint.digits, [&](int digit) { because[digit] = lost(before, now, hint, digit); });
        break;
    default: // locked candidates
        for_each_bit(hint.digits,
                     [&](int digit) { because[digit] = lost(before, now, hint, digit).without(shared(hint)); });
    }
    return because;
}

constexpr std::array<Find, 2> kLocked = {&find_pointing, &find_claiming};
constexpr std::array<Find, 1> kHiddenPair = {&find_hidden_pair};
constexpr std::array<Find, 1> kNakedPair = {&find_naked_pair};
constexpr std::array<Find, 1> kXWing = {&find_x_wing};
constexpr std::array<std::span<const Find>, 4> kTries = {kLocked, kHiddenPair, kNakedPair, kXWing};

} // namespace

void PlusRules::infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
                      std::vector<Inference>& found) {
    const std::size_t known = found.size();
    if (!budget.spend(2)) { // about what it costs
        return;
    }
    for (const std::span<const Find> tries : kTries) {
        for (const Find find : tries) {
            hints_.clear();
            Search search{.hints = hints_, .budget = budget, .chain_memory = nullptr};
            find(now, search);
            for (const Hint& hint : hints_.hints()) {
                const CandidateSet because = reasons(before, now, hint);
                if (!because.empty()) {
                    found.push_back({.gone = hint.eliminations,
                                     .because = because,
                                     .complexity = 0,
                                     .technique = hint.technique});
                }
            }
        }
        if (found.size() > known) {
            return;
        }
    }
}

} // namespace sudokumill::explainer::chains
