// Unique rectangle and loop: cells that could hold the same two digits in two ways, if nothing else stood in them.
// As there is one solution, something else does.
//
//     12 . . | 12 . . | . . .      A loop goes from cell to cell by a region that both lie in, never twice in a
//     row by .  . . | .  . . | . . .      one of a kind, and each region that it meets has one of its odd and one
//     of its even 12 . . | 123 . .| . . .      cells: so its two digits can be exchanged. Here 3 goes into the
//     last cell.
//
// Types, by the cells of the loop that have more than the two digits:
//     1  one cell: neither of the two digits is in it
//     2  they have one further digit, all the same: it is nowhere where all of them are seen
//     3  two cells of one region: one of them has one of their further digits. As if they were one cell with
//     these,
//        it is in a naked subset of that region; or the two digits of the loop are in a hidden one
//     4  two cells of one region where one of the two digits is nowhere else: the other is in neither of them
#include "hint.hpp"
#include "subset_search.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

struct Loop {
    CellSet cells;
    CellSet richer; // those with more than the two digits
    NineBits pair;
    NineBits extra; // all that the richer cells have beside the pair
    int length;
};

Tenths rating_of(int length) { return static_cast<Tenths>(length >= 10 ? 50 : 45 + (length - 4) / 2); }

Technique type_of(int length, int number) {
    const Technique first = length == 4 ? Technique::unique_rectangle_1 : Technique::unique_loop_1;
    return static_cast<Technique>(static_cast<int>(first) + number - 1);
}

Hint hint_of(const Loop& loop, int type, int more = 0) {
    return {.technique = type_of(loop.length, type),
            .rating = static_cast<Tenths>(rating_of(loop.length) + more),
            .cells = loop.cells,
            .digits = loop.pair,
            .complexity = static_cast<std::uint32_t>(type)};
}

void find_type_1(const Loop& loop, const CandidateGrid&, Search& search) {
    Hint hint = hint_of(loop, 1);
    for_each_bit(loop.pair, [&](int digit) { hint.eliminations[digit] = loop.richer; });
    search.hints.add(hint);
}

void find_type_2(const Loop& loop, const CandidateGrid& grid, Search& search) {
    Hint hint = hint_of(loop, 2);
    const int digit = first_of(loop.extra);
    hint.eliminations[digit] = grid.cells_with(digit) & seen_by_all(loop.richer);
    search.hints.add(hint);
}

/// Naked: the two cells stand for one that has what they have beside the pair, and k - 1 others make it a subset.
void find_type_3_naked(const Loop& loop, const CandidateGrid& grid, Search& search, int region) {
    NineSets sets = candidates_in(grid, region);
    NineBits both = 0;
    for (int place = 0; place < 9; ++place) {
        if (loop.richer.contains(cell_at(region, place))) {
            sets[static_cast<std::size_t>(place)] = both == 0 ? loop.extra : NineBits{0};
            both |= bit_of(place);
        }
    }
    for (int size = 2; 2 * size <= grid.blanks_in(region); ++size) {
        for_each_subset(sets, size, [&](NineBits places, NineBits digits) {
            if ((places & both) == 0) {
                return;
            }
            Hint hint = hint_of(loop, 3, size - 1);
            hint.cells |= cells_at(region, places);
            hint.digits |= digits;
            const CellSet seen = region_cells(region).without(hint.cells);
            for_each_bit(digits, [&](int digit) { hint.eliminations[digit] = grid.cells_with(digit) & seen; });
            search.hints.add(hint);
        });
    }
}

/// Hidden: the pair and k - 2 other digits, none of them one of those beside the pair, are in the two cells and k
/// - 1 others. One of the two has another digit, so the k - 1 have none but these.
void find_type_3_hidden(const Loop& loop, const CandidateGrid& grid, Search& search, int region) {
    NineBits of_loop = 0;
    for (int place = 0; place < 9; ++place) {
        of_loop |= loop.richer.contains(cell_at(region, place)) ? bit_of(place) : NineBits{0};
    }
    NineBits of_pair = 0;
    for_each_bit(loop.pair, [&](int digit) { of_pair |= grid.positions(digit, region); });
    const auto others_of_pair = static_cast<NineBits>(of_pair & ~of_loop);
    // The pair stands for one digit, whose places are those beside the two cells.
    NineSets sets{};
    for (int digit = 0; digit < kDigits; ++digit) {
        const auto index = static_cast<std::size_t>(digit);
        if (((loop.pair | loop.extra) >> digit & 1) == 0) {
            sets[index] = grid.positions(digit, region);
        }
    }
    for (int size = 2; 2 * size < grid.blanks_in(region); ++size) {
        for_each_choice(sets, size - 2, others_of_pair, size - 1, [&](NineBits digits, NineBits places) {
            Hint hint = hint_of(loop, 3, size - 2);
            const auto all = static_cast<NineBits>(digits | loop.pair);
            const CellSet others = cells_at(region, places);
            hint.cells |= others;
            hint.digits = all;
            for_each_bit(static_cast<NineBits>(kNineBits & ~all),
                         [&](int digit) { hint.eliminations[digit] = grid.cells_with(digit) & others; });
            search.hints.add(hint);
        });
    }
}

void find_type_4(const Loop& loop, const CandidateGrid& grid, Search& search, int region) {
    for_each_bit(loop.pair, [&](int locked) {
        if (count_of(grid.positions(locked, region)) != 2) {
            return;
        }
        Hint hint = hint_of(loop, 4);
        hint.eliminations[first_of(static_cast<NineBits>(loop.pair & ~bit_of(locked)))] = loop.richer;
        search.hints.add(hint);
    });
}

void find_in_loop(const Loop& loop, const CandidateGrid& grid, Search& search) {
    if (loop.richer.empty()) {
        return; // two solutions
    }
    if (!loop.richer.several()) {
        find_type_1(loop, grid, search);
    } else if (count_of(loop.extra) == 1) {
        find_type_2(loop, grid, search);
    } else {
        for (std::uint32_t regions = common_regions(loop.richer); regions != 0; regions &= regions - 1) {
            find_type_3_naked(loop, grid, search, std::countr_zero(regions));
            find_type_3_hidden(loop, grid, search, std::countr_zero(regions));
            find_type_4(loop, grid, search, std::countr_zero(regions));
        }
    }
}

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
