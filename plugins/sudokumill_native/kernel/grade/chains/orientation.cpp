#include "orientation.hpp"

#include <algorithm>
#include <array>

namespace sudokumill::explainer::chains {
namespace {

/// A grid as numbers that compare: the candidates of each blank cell, and a digit with a bit of its own.
using Picture = std::array<NineBits, kCells>;

constexpr NineBits kPlaced = 1U << 9;

std::size_t source_of(const Isomorphism& isomorphism, int cell) {
    return isomorphism.cells[static_cast<std::size_t>(cell)];
}

int label_of(const Isomorphism& isomorphism, int digit) {
    return isomorphism.labels[static_cast<std::size_t>(digit + 1)] - 1;
}

Picture image_of(const CandidateGrid& grid, const Isomorphism& isomorphism) {
    Picture picture{};
    for (int cell = 0; cell < kCells; ++cell) {
        const int source = static_cast<int>(source_of(isomorphism, cell));
        NineBits& image = picture[static_cast<std::size_t>(cell)];
        if (grid.value(source) != CandidateGrid::kBlank) {
            image = static_cast<NineBits>(kPlaced | bit_of(label_of(isomorphism, grid.value(source))));
        } else {
            for_each_bit(grid.candidates(source), [&](int digit) {
                image = static_cast<NineBits>(image | bit_of(label_of(isomorphism, digit)));
            });
        }
    }
    return picture;
}

CandidateGrid grid_of(const Picture& picture) {
    Grid values{};
    for (std::size_t cell = 0; cell < kCells; ++cell) {
        if ((picture[cell] & kPlaced) != 0) {
            values[cell] = static_cast<std::uint8_t>(first_of(picture[cell]) + 1);
        }
    }
    CandidateGrid grid{GridView(values)};
    for_each_cell(grid.blanks(), [&](int cell) {
        for_each_bit(static_cast<NineBits>(grid.candidates(cell) & ~picture[static_cast<std::size_t>(cell)]),
                     [&](int digit) { grid.eliminate(cell, digit); });
    });
    return grid;
}

CellSet turned_back(CellSet cells, const Isomorphism& isomorphism) {
    CellSet back;
    for_each_cell(cells, [&](int cell) { back.add(static_cast<int>(source_of(isomorphism, cell))); });
    return back;
}

CandidateSet turned_back(const CandidateSet& candidates, const Isomorphism& isomorphism) {
    CandidateSet back;
    for (int digit = 0; digit < kDigits; ++digit) {
        back[digit] = turned_back(candidates[label_of(isomorphism, digit)], isomorphism);
    }
    return back;
}

/// The region of the grid that comes to a region of the image.
int region_turned_back(int region, const Isomorphism& isomorphism) {
    const CellSet cells = turned_back(kLayout.region[static_cast<std::size_t>(region)], isomorphism);
    return static_cast<int>(std::ranges::find(kLayout.region, cells) - kLayout.region.begin());
}

Hint turned_back(const Hint& hint, const Isomorphism& isomorphism) {
    Hint back = hint;
    back.cells = turned_back(hint.cells, isomorphism);
    back.eliminations = turned_back(hint.eliminations, isomorphism);
    back.digits = 0;
    back.regions = 0;
    for (int digit = 0; digit < kDigits; ++digit) {
        const int image = label_of(isomorphism, digit);
        if ((hint.digits >> image & 1) != 0) {
            back.digits = static_cast<NineBits>(back.digits | bit_of(digit));
        }
        if (hint.placed_cell >= 0 && hint.placed_digit == image) {
            back.placed_digit = digit;
        }
    }
    if (hint.placed_cell >= 0) {
        back.placed_cell = static_cast<int>(source_of(isomorphism, hint.placed_cell));
    }
    for (int region = 0; region < kRegions; ++region) {
        if ((hint.regions >> region & 1) != 0) {
            back.regions |= std::uint32_t{1} << region_turned_back(region, isomorphism);
        }
    }
    return back;
}

Branches turned_back(Branches branches, const Isomorphism& isomorphism) {
    std::array<int, kDigits> digit_at{};
    for (int digit = 0; digit < kDigits; ++digit) {
        digit_at[static_cast<std::size_t>(label_of(isomorphism, digit))] = digit;
    }
    const auto turn = [&](Node& node) {
        node.cell = static_cast<int>(source_of(isomorphism, node.cell));
        node.digit = digit_at[static_cast<std::size_t>(node.digit)];
    };
    for (Branch& branch : branches) {
        turn(branch.assumption);
        std::ranges::for_each(branch.nodes, turn);
        for (Inference& inference : branch.inferences) {
            inference.gone = turned_back(inference.gone, isomorphism);
            inference.because = turned_back(inference.because, isomorphism);
        }
    }
    return branches;
}

} // namespace

void Orientation::find(const CandidateGrid& grid, Search& search, Find technique) {
    if (search.solution == nullptr) {
        technique(grid, search);
        return;
    }
    if (isomorphisms_.empty() || solution_ != *search.solution) {
        solution_ = *search.solution;
        isomorphisms_ = canonical_isomorphisms(solution_);
    }
    const Isomorphism* least = nullptr;
    Picture picture{};
    for (const Isomorphism& isomorphism : isomorphisms_) {
        const Picture other = image_of(grid, isomorphism);
        if (least == nullptr || other < picture) {
            least = &isomorphism;
            picture = other;
        }
    }
    hints_.clear();
    branches_.clear();
    Search inside{.hints = hints_,
                  .budget = search.budget,
                  .chain_memory = search.chain_memory,
                  .branches = search.branches == nullptr ? nullptr : &branches_};
    technique(grid_of(picture), inside);
    for (const Hint& hint : hints_.hints()) {
        Hint back = turned_back(hint, *least);
        if (hint.branches >= 0) {
            back.branches = search.branches->add(turned_back(branches_.at(hint.branches), *least));
        }
        search.hints.add(back);
    }
}

} // namespace sudokumill::explainer::chains
