#include "candidate_grid.hpp"

namespace sudokumill::explainer {

CandidateGrid::CandidateGrid(GridView puzzle)
    : blanks_(CellSet::all()), positions_{}, candidates_{}, one_place_{}, one_blank_(0) {
    values_.fill(kBlank);
    blanks_in_.fill(9);
    CandidateSet seen;
    for (int cell = 0; cell < kCells; ++cell) {
        const auto index = static_cast<std::size_t>(cell);
        if (puzzle[index] == 0) {
            continue;
        }
        const int digit = puzzle[index] - 1;
        values_[index] = static_cast<std::uint8_t>(digit);
        blanks_.remove(cell);
        for (const std::uint8_t region : kLayout.regions_of[index]) {
            --blanks_in_[region];
        }
        seen[digit] |= peers_of(cell);
    }
    // Far fewer candidates are left than go, so they are put in where they are, and not all taken out elsewhere.
    for (int digit = 0; digit < kDigits; ++digit) {
        cells_with_[digit] = blanks_.without(seen[digit]);
        for_each_cell(cells_with_[digit], [&](int cell) {
            const auto index = static_cast<std::size_t>(cell);
            candidates_[index] |= bit_of(digit);
            for (std::size_t kind = 0; kind < 3; ++kind) {
                positions_[kLayout.regions_of[index][kind]][static_cast<std::size_t>(digit)] |=
                    bit_of(kLayout.places_of[index][kind]);
            }
        });
    }
    for (int region = 0; region < kRegions; ++region) {
        for (int digit = 0; digit < kDigits; ++digit) {
            const std::uint32_t one = is_one(positions(digit, region)) ? 1 : 0;
            one_place_[static_cast<std::size_t>(digit)] |= one << region;
        }
        one_blank_ |= (blanks_in(region) == 1 ? 1U : 0U) << region;
    }
}

void CandidateGrid::drop(int cell, int digit) {
    const auto index = static_cast<std::size_t>(cell);
    candidates_[index] = static_cast<NineBits>(candidates_[index] & ~bit_of(digit));
    const auto& regions = kLayout.regions_of[index];
    const auto& places = kLayout.places_of[index];
    std::uint32_t one_place = one_place_[static_cast<std::size_t>(digit)];
    for (std::size_t kind = 0; kind < 3; ++kind) {
        NineBits& positions = positions_[regions[kind]][static_cast<std::size_t>(digit)];
        positions = static_cast<NineBits>(positions & ~bit_of(places[kind]));
        const std::uint32_t one = is_one(positions) ? 1 : 0;
        one_place = (one_place & ~(1U << regions[kind])) | one << regions[kind];
    }
    one_place_[static_cast<std::size_t>(digit)] = one_place;
}

void CandidateGrid::eliminate(int cell, int digit) {
    if (has(cell, digit)) {
        drop(cell, digit);
        cells_with_[digit].remove(cell);
    }
}

void CandidateGrid::eliminate(CellSet cells, int digit) {
    const CellSet gone = cells & cells_with_[digit];
    cells_with_[digit] = cells_with_[digit].without(gone);
    for_each_cell(gone, [&](int cell) { drop(cell, digit); });
}

void CandidateGrid::place(int cell, int digit) {
    const auto index = static_cast<std::size_t>(cell);
    values_[index] = static_cast<std::uint8_t>(digit);
    blanks_.remove(cell);
    for (const std::uint8_t region : kLayout.regions_of[index]) {
        --blanks_in_[region];
        one_blank_ = (one_blank_ & ~(1U << region)) | (blanks_in_[region] == 1 ? 1U : 0U) << region;
    }
    for_each_bit(candidates_[index], [&](int other) {
        drop(cell, other);
        cells_with_[other].remove(cell);
    });
    eliminate(kLayout.peers[index], digit);
}

FewCandidates few_candidates(const CandidateGrid& grid) {
    // Cells counted digit by digit: those met once or more, twice or more, and so on.
    CellSet once;
    CellSet twice;
    CellSet thrice;
    CellSet more;
    for (int digit = 0; digit < kDigits; ++digit) {
        const CellSet cells = grid.cells_with(digit);
        more |= thrice & cells;
        thrice |= twice & cells;
        twice |= once & cells;
        once |= cells;
    }
    return {.one = once.without(twice), .two = twice.without(thrice), .three = thrice.without(more)};
}

} // namespace sudokumill::explainer
