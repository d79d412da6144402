// Unique rectangle and loop: cells that could hold the same two digits in two ways, if nothing else stood in them.
// As there is one solution, something else does.
//
//     12  .  | 12  .        A loop goes from cell to cell by a region that both lie in, never twice in a row
//     .   .  | .   .        by one of a kind, and each region that it meets has one of its odd and one of its
//     12  .  | 123 .        even cells: so its two digits can be exchanged. Here 3 goes into the last cell.
//
// What else a loop says stands in unique_loop_types.cpp.
#include "unique_loop.hpp"

#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

/// Walks from cell to cell, by all loops of one pair from one cell.
class LoopWalk {
  public:
    LoopWalk(const CandidateGrid& grid, Search& search, NineBits pair, CellSet cells, int start)
        : grid_(grid), search_(search), pair_(pair), usable_(cells), start_(start) {}

    void go() { visit(start_, kNoKind, CellSet{}, CellSet{}, 0, 0, 0, 0); }

  private:
    static constexpr int kNoKind = 3;

    void visit(int cell, int came_by, CellSet visited, CellSet richer, NineBits extra, std::uint32_t met,
               std::uint32_t met_by_others, int length) {
        // `met` are the regions of the cells of this one's parity, `met_by_others` those of the other.
        std::uint32_t regions = 0;
        for (int kind = 0; kind < 3; ++kind) {
            regions |= 1U << region_of_kind(cell, kind);
        }
        if ((met & regions) != 0) {
            return;
        }
        met |= regions;
        const auto more = static_cast<NineBits>(grid_.candidates(cell) & ~pair_);
        if (more != 0) {
            richer.add(cell);
            extra |= more;
            if (count_of(extra) > 1 && richer.size() > 2) {
                return;
            }
        }
        visited.add(cell);
        ++length;
        for (int kind = 0; kind < 3; ++kind) {
            if (kind == came_by) {
                continue;
            }
            const CellSet next = usable_ & region_cells(region_of_kind(cell, kind));
            if (length >= 4 && next.contains(start_) && met == met_by_others) {
                find_in_loop({visited, richer, pair_, extra, length}, grid_, search_);
            }
            for_each_cell(next.without(visited), [&](int other) {
                visit(other, kind, visited, richer, extra, met_by_others, met, length);
            });
        }
    }

    const CandidateGrid& grid_;
    Search& search_;
    NineBits pair_;
    CellSet usable_;
    int start_;
};

/// Those of some cells that can be in a loop of such cells: each needs another one in each of its regions.
CellSet without_dead_ends(CellSet cells) {
    CellSet before;
    do {
        before = cells;
        for_each_cell(before, [&](int cell) {
            for (int kind = 0; kind < 3; ++kind) {
                if (!(cells & region_cells(region_of_kind(cell, kind))).several()) {
                    cells.remove(cell);
                    return;
                }
            }
        });
    } while (cells != before);
    return cells;
}

} // namespace

void find_unique_loop(const CandidateGrid& grid, Search& search) {
    const CellSet starts = few_candidates(grid).two;
    CellSet done;
    for_each_cell(starts, [&](int start) {
        const NineBits pair = grid.candidates(start);
        const int one = first_of(pair);
        const int other = first_of(static_cast<NineBits>(pair & (pair - 1)));
        // The loops of an earlier start are known.
        const CellSet both = (grid.cells_with(one) & grid.cells_with(other)).without(done);
        done.add(start);
        if (both.size() < 4) {
            return;
        }
        if (const CellSet usable = without_dead_ends(both); usable.contains(start)) {
            LoopWalk(grid, search, pair, usable, start).go();
        }
    });
}

} // namespace sudokumill::explainer
