// Bivalue universal grave: had every blank cell two candidates, each in two cells of every region, then there
// would be two solutions or none. As there is one, some of the candidates beyond that are right.
//
// Types, by the cells that have candidates beyond:
//     1  one cell: it has one of those beyond, and no other
//     2  all have the same one: it is nowhere where all of them are seen
//     3  cells of one region: what they have beyond and k other cells there are a naked subset
//     4  two cells of one region where a digit not beyond is in these two only: they have it, or what is beyond
#include "hint.hpp"
#include "subset_search.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

/// The cells with candidates beyond two, and which these are.
struct Grave {
    CellSet cells;
    std::array<NineBits, kCells> beyond{};
    NineBits all_beyond = 0;
};

/// Finds which candidates must go for a grave to be left. They are found by counting: a cell with n candidates
/// loses n - 2 and a region where a digit has n places n - 2 of those that lie in cells with more than two
/// candidates. Where that are all there are, or none, it is decided; each decision leads to others.
class GraveSearch {
  public:
    explicit GraveSearch(const CandidateGrid& grid) : grid_(grid) {}

    bool find(Grave& grave) {
        const CellSet two = few_candidates(grid_).two;
        open_cells_ = grid_.blanks().without(two);
        // No type has cells that nothing sees together; most grids are ruled out by this.
        if (open_cells_.empty() || seen_by_all(open_cells_).empty()) {
            return false;
        }
        for (int digit = 0; digit < kDigits; ++digit) {
            open_[digit] = grid_.cells_with(digit) & open_cells_;
            left_[digit] = grid_.cells_with(digit);
        }
        do {
            decided_ = false;
            if (!decide_regions() || !decide_cells()) {
                return false;
            }
        } while (decided_);
        if (!open_.empty()) {
            return false;
        }
        grave.cells = open_cells_;
        for_each_cell(grave.cells, [&](int cell) {
            NineBits beyond = 0;
            for_each_bit(grid_.candidates(cell),
                         [&](int digit) { beyond |= left_.contains(cell, digit) ? NineBits{0} : bit_of(digit); });
            grave.beyond[static_cast<std::size_t>(cell)] = beyond;
            grave.all_beyond |= beyond;
        });
        return true;
    }

  private:
    bool decide_regions() {
        for (int digit = 0; digit < kDigits; ++digit) {
            for (int region = 0; region < kRegions; ++region) {
                const int count = (left_[digit] & region_cells(region)).size();
                const CellSet open = open_[digit] & region_cells(region);
                if (count == 0) {
                    continue;
                }
                const int too_many = count - 2;
                if (too_many < 0 || too_many > open.size()) {
                    return false;
                }
                if (open.any() && too_many == open.size()) {
                    left_[digit] = left_[digit].without(open);
                }
                if (open.any() && (too_many == 0 || too_many == open.size())) {
                    open_[digit] = open_[digit].without(open);
                    decided_ = true;
                }
            }
        }
        return true;
    }

    bool decide_cells() {
        CellSet cells = open_cells_;
        while (cells.any()) {
            const int cell = cells.take_first();
            int left = 0;
            int open = 0;
            for (int digit = 0; digit < kDigits; ++digit) {
                left += left_.contains(cell, digit) ? 1 : 0;
                open += open_.contains(cell, digit) ? 1 : 0;
            }
            const int too_many = left - 2;
            if (too_many < 0 || too_many > open) {
                return false;
            }
            if (open == 0 || (too_many != 0 && too_many != open)) {
                continue;
            }
            for (int digit = 0; digit < kDigits; ++digit) {
                if (open_.contains(cell, digit)) {
                    open_[digit].remove(cell);
                    if (too_many != 0) {
                        left_[digit].remove(cell);
                    }
                }
            }
            decided_ = true;
        }
        return true;
    }

    const CandidateGrid& grid_;
    CellSet open_cells_;
    CandidateSet open_; // not decided yet
    CandidateSet left_; // not gone
    bool decided_ = false;
};

Hint hint_of(const Grave& grave, Technique technique, int rating) {
    return {.technique = technique,
            .rating = static_cast<Tenths>(rating),
            .cells = grave.cells,
            .digits = grave.all_beyond};
}

void find_type_1(const Grave& grave, const CandidateGrid& grid, Search& search) {
    Hint hint = hint_of(grave, Technique::bug_1, 56);
    const int cell = grave.cells.first();
    for_each_bit(static_cast<NineBits>(grid.candidates(cell) & ~grave.all_beyond),
                 [&](int digit) { hint.eliminations.add(cell, digit); });
    search.hints.add(hint);
}

void find_type_2(const Grave& grave, const CandidateGrid& grid, Search& search) {
    Hint hint = hint_of(grave, Technique::bug_2, 57);
    const int digit = first_of(grave.all_beyond);
    hint.eliminations[digit] = grid.cells_with(digit) & seen_by_all(grave.cells);
    search.hints.add(hint);
}

void find_type_3(const Grave& grave, const CandidateGrid& grid, Search& search, int region) {
    NineSets sets = candidates_in(grid, region);
    NineBits virtual_place = 0;
    for (int place = 0; place < 9; ++place) {
        if (grave.cells.contains(cell_at(region, place))) {
            sets[static_cast<std::size_t>(place)] = virtual_place == 0 ? grave.all_beyond : NineBits{0};
            virtual_place = virtual_place == 0 ? bit_of(place) : virtual_place;
        }
    }
    for (int size = 2; size <= 7; ++size) {
        for_each_subset(sets, size, [&](NineBits places, NineBits digits) {
            if ((places & virtual_place) == 0) {
                return;
            }
            Hint hint = hint_of(grave, Technique::bug_3, 57 + size - 1);
            const CellSet others = cells_at(region, static_cast<NineBits>(places & ~virtual_place));
            const CellSet seen = region_cells(region).without(grave.cells).without(others);
            for_each_bit(digits, [&](int digit) { hint.eliminations[digit] = grid.cells_with(digit) & seen; });
            hint.cells |= others;
            hint.digits |= digits;
            search.hints.add(hint);
        });
    }
}

void find_type_4(const Grave& grave, const CandidateGrid& grid, Search& search, int region) {
    CellSet cells = grave.cells;
    const int one = cells.take_first();
    const int other = cells.take_first();
    if (cells.any()) {
        return;
    }
    const auto rest = [&](int cell) {
        return static_cast<NineBits>(grid.candidates(cell) & ~grave.beyond[static_cast<std::size_t>(cell)]);
    };
    for_each_bit(static_cast<NineBits>(rest(one) & rest(other)), [&](int locked) {
        if (count_of(grid.positions(locked, region)) != 2) {
            return;
        }
        Hint hint = hint_of(grave, Technique::bug_4, 57);
        for (const int cell : {one, other}) {
            for_each_bit(static_cast<NineBits>(rest(cell) & ~bit_of(locked)),
                         [&](int digit) { hint.eliminations.add(cell, digit); });
        }
        search.hints.add(hint);
    });
}

} // namespace

void find_bivalue_universal_grave(const CandidateGrid& grid, Search& search) {
    Grave grave;
    if (!GraveSearch(grid).find(grave)) {
        return;
    }
    if (!grave.cells.several()) {
        find_type_1(grave, grid, search);
    } else if (count_of(grave.all_beyond) == 1) {
        find_type_2(grave, grid, search);
    } else {
        for (std::uint32_t regions = common_regions(grave.cells); regions != 0; regions &= regions - 1) {
            find_type_4(grave, grid, search, std::countr_zero(regions));
            find_type_3(grave, grid, search, std::countr_zero(regions));
        }
    }
}

} // namespace sudokumill::explainer
