// XY-wing and XYZ-wing: a pivot sees two cells of two candidates, and one of the three has the digit z.
//
//     xy  -  - | .  xz  .        If the pivot xy is x, the wing xz is z; if it is y, the wing yz is. So no cell
//     .   .  . | .  .   .        that sees both wings is z (-).
//     .   yz . | -  -   -
//
// With xyz as the pivot it may be z itself, so only cells that see the pivot as well cannot be z.
#include "hint.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

void find_wings(const CandidateGrid& grid, Search& search, bool z_in_pivot, Technique technique) {
    const FewCandidates few = few_candidates(grid);
    for_each_cell(z_in_pivot ? few.three : few.two, [&](int pivot) {
        const NineBits of_pivot = grid.candidates(pivot);
        CellSet wings = few.two & peers_of(pivot);
        while (wings.any()) {
            const int one = wings.take_first();
            const NineBits of_one = grid.candidates(one);
            // Both of its candidates in a pivot of three, one in a pivot of two.
            if (count_of(of_one & of_pivot) != (z_in_pivot ? 2 : 1)) {
                continue;
            }
            for_each_cell(wings, [&](int other) {
                const NineBits of_other = grid.candidates(other);
                const auto common = static_cast<NineBits>(of_one & of_other);
                const auto all = static_cast<NineBits>(of_pivot | of_one | of_other);
                if (count_of(common) != 1 || count_of(all) != 3 || ((common & of_pivot) != 0) != z_in_pivot) {
                    return;
                }
                const int digit = first_of(common);
                CellSet seen = peers_of(one) & peers_of(other);
                if (z_in_pivot) {
                    seen &= peers_of(pivot);
                }
                Hint hint{.technique = technique,
                          .rating = least_rating_of(technique),
                          .cells = CellSet::of(pivot) | CellSet::of(one) | CellSet::of(other),
                          .digits = all};
                hint.eliminations[digit] = grid.cells_with(digit) & seen;
                search.hints.add(hint);
            });
        }
    });
}

} // namespace

void find_xy_wing(const CandidateGrid& grid, Search& search) {
    find_wings(grid, search, false, Technique::xy_wing);
}

void find_xyz_wing(const CandidateGrid& grid, Search& search) {
    find_wings(grid, search, true, Technique::xyz_wing);
}

} // namespace sudokumill::explainer
