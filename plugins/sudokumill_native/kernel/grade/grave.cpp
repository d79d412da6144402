#include "grave.hpp"

namespace sudokumill::explainer {
namespace {

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

} // namespace

bool find_grave(const CandidateGrid& grid, Grave& grave) { return GraveSearch(grid).find(grave); }

} // namespace sudokumill::explainer
