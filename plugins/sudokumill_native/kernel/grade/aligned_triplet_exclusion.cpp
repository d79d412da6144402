// Aligned triplet exclusion: three cells cannot have digits that leave a cell that sees all three none.
#include <algorithm>

#include "aligned_exclusion.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

/// What excluders of two or three candidates forbid to stand together in the cells that they see.
class ForbiddenTriples {
  public:
    ForbiddenTriples(const CandidateGrid& grid, CellSet pairs, CellSet triples) {
        for_each_cell(pairs, [&](int cell) { pairs_.add(grid.candidates(cell)); });
        for_each_cell(triples, [&](int cell) {
            triples_[static_cast<std::size_t>(triple_count_++)] = grid.candidates(cell);
        });
    }

    /// What cannot be with a digit, whatever else there is.
    NineBits with(int digit) const { return pairs_.with(digit); }

    /// What cannot be with two digits, which may be the same.
    NineBits with(int one, int other) const {
        const auto both = static_cast<NineBits>(bit_of(one) | bit_of(other));
        auto forbidden = static_cast<NineBits>(with(one) | with(other));
        if (one == other) {
            return forbidden;
        }
        for (int index = 0; index < triple_count_; ++index) {
            const NineBits triple = triples_[static_cast<std::size_t>(index)];
            if ((triple & both) == both) {
                forbidden |= static_cast<NineBits>(triple ^ both);
            }
        }
        return forbidden;
    }

  private:
    static constexpr std::size_t kPeers = 20;

    ForbiddenPairs pairs_;
    std::array<NineBits, kPeers> triples_;
    int triple_count_ = 0;
};

/// What is in some possible combination of three cells, of each of them.
std::array<NineBits, 3> possible_in(const std::array<Base, 3>& bases, const ForbiddenTriples& forbidden) {
    // no structured binding: clang before 16 has none in lambdas
    const Base &first = bases[0], &second = bases[1], &third = bases[2];
    const bool first_sees_second = see_each_other(first, second);
    const bool first_sees_third = see_each_other(first, third);
    const bool second_sees_third = see_each_other(second, third);
    std::array<NineBits, 3> possible{};
    for_each_bit(first.candidates, [&](int one) {
        const NineBits with_one = forbidden.with(one);
        const auto thirds =
            static_cast<NineBits>(third.candidates & ~(with_one | same_digit(first_sees_third, one)));
        for_each_bit(static_cast<NineBits>(second.candidates & ~(with_one | same_digit(first_sees_second, one))),
                     [&](int other) {
                         const bool both_known = (possible[0] >> one & possible[1] >> other & 1) != 0;
                         if (both_known && (thirds & ~possible[2]) == 0) {
                             return;
                         }
                         const auto left = static_cast<NineBits>(
                             thirds & ~(forbidden.with(one, other) | same_digit(second_sees_third, other)));
                         if (left != 0) {
                             possible[0] |= bit_of(one);
                             possible[1] |= bit_of(other);
                             possible[2] |= left;
                         }
                     });
    });
    return possible;
}

/// Whether so many excluders can make all combinations of digits of two of the cells impossible, beside any one
/// digit of the third.
///
/// Be these cells the smallest two, of m and n candidates, m <= n; for others there are even more combinations to
/// exclude. An excluder of two candidates takes m + n of the m * n combinations at most, one of three takes 2, and
/// two cells that see each other n.
bool may_exclude(const std::array<Base, 3>& bases, int pairs, int triples) {
    std::array<int, 3> sizes{};
    for (std::size_t index = 0; index < 3; ++index) {
        sizes[index] = count_of(bases[index].candidates);
    }
    std::ranges::sort(sizes);
    const int seeing = (see_each_other(bases[0], bases[1]) ? 1 : 0) +
                       (see_each_other(bases[0], bases[2]) ? 1 : 0) + (see_each_other(bases[1], bases[2]) ? 1 : 0);
    return sizes[0] * sizes[1] <= pairs * (sizes[0] + sizes[1]) + 2 * triples + seeing * sizes[1];
}

void look_at_triplet(const CandidateGrid& grid, Search& search, const std::array<Base, 3>& bases, CellSet pairs,
                     CellSet triples) {
    if (!may_exclude(bases, pairs.size(), triples.size())) {
        return;
    }
    const ForbiddenTriples forbidden(grid, pairs, triples);
    std::array<NineBits, 3> impossible = possible_in(bases, forbidden);
    for (std::size_t index = 0; index < 3; ++index) {
        impossible[index] = static_cast<NineBits>(bases[index].candidates & ~impossible[index]);
    }
    if ((impossible[0] | impossible[1] | impossible[2]) == 0) {
        return; // nearly always
    }
    Hint hint{.technique = Technique::aligned_triplet_exclusion,
              .rating = least_rating_of(Technique::aligned_triplet_exclusion)};
    for (std::size_t index = 0; index < 3; ++index) {
        exclude(hint, bases[index], impossible[index]);
    }
    search.hints.add(hint);
}

} // namespace

void find_aligned_triplet_exclusion(const CandidateGrid& grid, Search& search) {
    const FewCandidates few = few_candidates(grid);
    const CellSet excluders = few.two | few.three;
    CellSet firsts = possible_bases(grid, few.one) & Seeing(excluders).twice;
    while (firsts.any()) {
        const Base first = Base::of(grid, firsts.take_first());
        const CellSet seen = excluders & peers_of(first.cell);
        CellSet seconds = firsts & Seeing(seen).twice;
        while (seconds.any()) {
            const Base second = Base::of(grid, seconds.take_first());
            const CellSet seen_by_both = seen & peers_of(second.cell);
            for_each_cell(seconds & Seeing(seen_by_both).twice, [&](int third) {
                const CellSet common = seen_by_both & peers_of(third);
                look_at_triplet(grid, search, {first, second, Base::of(grid, third)}, common & few.two,
                                common & few.three);
            });
        }
    }
}

} // namespace sudokumill::explainer
