// Cycles: closed chains of weak and strong links by turns, with an even number of candidates.
#pragma once

#include <utility>

#include "../hint.hpp"
#include "implications.hpp"
#include "levels.hpp"

namespace sudokumill::explainer::chains {

/// Adds the cycles of `length` candidates to the sink.
///
///     a ~ b = c ~ d = ... = a        ~ weak link, = strong link
///
/// Either a, c, ... are all right or b, d, ... are. So what sees one of each, with the same digit, goes. Only
/// cells outside the cycle are looked at. The levels must have been taken to length / 2, with the starts on; a
/// cycle is found from a start from which half of it is a shortest chain to each of its candidates, by whichever
/// of the shortest: which one is met first would depend on how the grid is turned.
template <int Words> class Cycles {
  public:
    void find(const CandidateGrid& grid, const Levels<Words>& levels, int length, Technique technique,
              Tenths rating, Search& search) {
        grid_ = &grid;
        levels_ = &levels;
        links_ = &levels.links();
        hint_ = Hint{.technique = technique, .rating = rating, .complexity = static_cast<std::uint32_t>(length)};
        search_ = &search;
        half_ = length / 2;
        for_each(links_->linked, [&](int start) {
            start_ = start;
            for_each(levels.at(half_, start) & links_->back[static_cast<std::size_t>(start)],
                     [&](int on) { extend(on, start, half_); });
        });
    }

  private:
    static constexpr std::size_t kMostLevels = 1 + kCells;

    /// Goes on backwards: `on`, at a level, leads by a weak and a strong link to `next`.
    void extend(int on, int next, int level) {
        const auto place = static_cast<std::size_t>(level);
        ons_[place] = on;
        for_each(links_->weak[static_cast<std::size_t>(on)] & links_->strong[static_cast<std::size_t>(next)],
                 [&](int off) {
                     if (used_.test(off)) {
                         return;
                     }
                     offs_[place] = off;
                     if (level == 1) {
                         report();
                         return;
                     }
                     used_.set(off);
                     for_each(levels_->at(level - 1, start_) & links_->back[static_cast<std::size_t>(on)],
                              [&](int earlier) { extend(earlier, on, level - 1); });
                     used_.reset(off);
                 });
    }

    void report() {
        // By digit, the cells that see one that is on, and one that is off.
        std::array<CellSet, kDigits> by_on;
        std::array<CellSet, kDigits> by_off;
        CellSet cells;
        NineBits digits = 0;
        const auto see = [&](int candidate, std::array<CellSet, kDigits>& seen) {
            const std::size_t cell = links_->cell[static_cast<std::size_t>(candidate)];
            const std::size_t digit = links_->digit[static_cast<std::size_t>(candidate)];
            if ((digits >> digit & 1) == 0) {
                digits = static_cast<NineBits>(digits | 1U << digit);
                by_on[digit] = by_off[digit] = CellSet{};
            }
            seen[digit] |= kLayout.peers[cell];
            cells.add(static_cast<int>(cell));
        };
        for (std::size_t level = 1; level <= static_cast<std::size_t>(half_); ++level) {
            see(ons_[level], by_on);
            see(offs_[level], by_off);
        }
        bool worth = false;
        for_each_bit(digits, [&](int digit) {
            const auto index = static_cast<std::size_t>(digit);
            const CellSet gone = (by_on[index] & by_off[index] & grid_->cells_with(digit)).without(cells);
            hint_.eliminations[digit] = gone;
            worth = worth || gone.any();
        });
        if (worth) {
            hint_.cells = cells;
            hint_.digits = digits;
            if (search_->branches != nullptr) {
                hint_.branches = search_->branches->add(both_ways());
            }
            search_->hints.add(hint_);
            hint_.eliminations = CandidateSet{};
        }
    }

    /// The start is on or off, and with it every other candidate of the cycle. Either way the eliminated ones
    /// are off.
    Branches both_ways() const {
        const auto node_at = [&](int candidate, bool on) {
            const auto index = static_cast<std::size_t>(candidate);
            return Node{links_->cell[index], links_->digit[index], on};
        };
        Branches branches;
        for (const bool on : {true, false}) {
            Branch branch{node_at(start_, on), {}, {}};
            for (std::size_t level = 1; level <= static_cast<std::size_t>(half_); ++level) {
                branch.nodes.push_back(node_at(ons_[level], on));
                branch.nodes.push_back(node_at(offs_[level], !on));
            }
            for (int digit = 0; digit < kDigits; ++digit) {
                for_each_cell(hint_.eliminations[digit],
                              [&](int cell) { branch.nodes.push_back({cell, digit, false}); });
            }
            branches.push_back(std::move(branch));
        }
        return branches;
    }

    const CandidateGrid* grid_ = nullptr;
    const Levels<Words>* levels_ = nullptr;
    const Links<Words>* links_ = nullptr;
    Search* search_ = nullptr;
    int half_ = 0;
    int start_ = 0;
    Hint hint_{};
    // The cycle so far, by level.
    std::array<int, kMostLevels> ons_;
    std::array<int, kMostLevels> offs_;
    Bits<Words> used_; // candidates that are off in it
};

} // namespace sudokumill::explainer::chains
