// The search for dynamic chains of all levels.
#pragma once

#include <span>
#include <vector>

#include "consequences.hpp"

namespace sudokumill::explainer::chains {

/// The four kinds of dynamic chains, in the order of the techniques.
enum class DynamicKind : std::uint8_t { cell, region, contradiction, in_both_cases };

/// The technique of a kind, by that of its cell chains.
constexpr Technique of_kind(Technique cell_chains, DynamicKind kind) {
    return static_cast<Technique>(static_cast<int>(cell_chains) + static_cast<int>(kind));
}

/// Something that follows in any case.
struct Conclusion {
    int target; // a candidate of the field
    bool on;
    int complexity;
    DynamicKind kind;
    int region;                  // of a region chain
    std::span<const int> starts; // the assumptions of which one must be right: 2 * candidate, + 1 if it is off
};

/// Follows every candidate as on and as off, and finds what follows in any case:
///
///     contradiction    of an assumption, so it is wrong
///     double           from a candidate on and off (only in cells with three or more, as the others are cells)
///     cell             from each candidate of a cell
///     region           from each place of a digit in a region
template <int Words> class DynamicSearch {
  public:
    /// Args:
    ///     inferrer: what is tried where links lead no further; nullptr: nothing
    ///     keeps: whether a conclusion of this complexity is wanted
    ///     take: takes those that are
    ///
    /// Returns: false if the budget did not reach so far.
    template <typename Keeps, typename Take>
    bool run(const CandidateGrid& grid, Inferrer* inferrer, Budget& budget, Keeps&& keeps, Take&& take) {
        field_.take(grid);
        const auto needed = 2 * static_cast<std::size_t>(field_.count);
        if (outcomes_.size() < needed) {
            outcomes_.resize(needed);
        }
        for (int start = 0; start < 2 * field_.count; ++start) {
            if (!budget.spend() || !follow(start, inferrer, budget)) {
                return false;
            }
            store(start);
            const int target = start / 2;
            if (consequences_.contradiction() != 0 && keeps(consequences_.contradiction()) &&
                choice_count(target) > 1) {
                choices_ = {start};
                take(Conclusion{target, (start & 1) != 0, consequences_.contradiction(),
                                DynamicKind::contradiction, -1, choices_});
            }
        }
        share_doubles(keeps, take);
        share_cells(keeps, take);
        share_regions(keeps, take);
        return true;
    }

    const Field<Words>& field() const { return field_; }

    /// Follows one assumption again, to look at its nodes. False if the budget does not reach so far.
    bool follow(int start, Inferrer* inferrer, Budget& budget) {
        const bool on = (start & 1) == 0;
        if (inferrer == nullptr) {
            consequences_.follow(field_, start / 2, on);
        } else {
            consequences_.follow(field_, start / 2, on, *inferrer, budget);
        }
        return !budget.exhausted();
    }

    const Consequences<Words>& consequences() const { return consequences_; }

  private:
    static constexpr int kMost = 64 * Words;

    /// What is kept of an assumption: where it leads, up to a contradiction, and at what cost.
    struct Outcome {
        Bits<Words> on;
        Bits<Words> off;
        std::array<std::uint16_t, kMost> on_cost;
        std::array<std::uint16_t, kMost> off_cost;
    };

    void store(int start) {
        Outcome& of = outcomes_[static_cast<std::size_t>(start)];
        const ChainNodes<Words>& nodes = consequences_.nodes();
        of.on = nodes.on();
        of.off = nodes.off();
        for_each(of.on, [&](int at) {
            of.on_cost[static_cast<std::size_t>(at)] = static_cast<std::uint16_t>(nodes.on_cost(at));
        });
        for_each(of.off, [&](int at) {
            of.off_cost[static_cast<std::size_t>(at)] = static_cast<std::uint16_t>(nodes.off_cost(at));
        });
    }

    /// How many candidates the cell of a candidate has.
    int choice_count(int candidate) const {
        return count_of(field_.grid.candidates(field_.cell[static_cast<std::size_t>(candidate)]));
    }

    template <typename Keeps, typename Take> void share_doubles(Keeps& keeps, Take& take) {
        for (int candidate = 0; candidate < field_.count; ++candidate) {
            if (choice_count(candidate) > 2) {
                choices_ = {2 * candidate, 2 * candidate + 1};
                share(DynamicKind::in_both_cases, -1, keeps, take);
            }
        }
    }

    template <typename Keeps, typename Take> void share_cells(Keeps& keeps, Take& take) {
        for_each_cell(field_.grid.blanks(), [&](int cell) {
            choices_.clear();
            for_each_bit(field_.grid.candidates(cell),
                         [&](int digit) { choices_.push_back(2 * field_.number_of(cell, digit)); });
            share(DynamicKind::cell, -1, keeps, take);
        });
    }

    template <typename Keeps, typename Take> void share_regions(Keeps& keeps, Take& take) {
        for (int digit = 0; digit < kDigits; ++digit) {
            for (int region = 0; region < kRegions; ++region) {
                choices_.clear();
                for_each_bit(field_.grid.positions(digit, region), [&](int place) {
                    const int cell =
                        kLayout.cell_at[static_cast<std::size_t>(region)][static_cast<std::size_t>(place)];
                    choices_.push_back(2 * field_.number_of(cell, digit));
                });
                share(DynamicKind::region, region, keeps, take);
            }
        }
    }

    /// What all choices lead to.
    template <typename Keeps, typename Take> void share(DynamicKind kind, int region, Keeps& keeps, Take& take) {
        if (choices_.size() < 2) {
            return;
        }
        Bits<Words> on = outcomes_[static_cast<std::size_t>(choices_[0])].on;
        Bits<Words> off = outcomes_[static_cast<std::size_t>(choices_[0])].off;
        for (const int choice : std::span(choices_).subspan(1)) {
            on &= outcomes_[static_cast<std::size_t>(choice)].on;
            off &= outcomes_[static_cast<std::size_t>(choice)].off;
        }
        const auto conclude = [&](int target, bool is_on) {
            int cost = 0;
            for (const int choice : choices_) {
                const Outcome& of = outcomes_[static_cast<std::size_t>(choice)];
                cost += (is_on ? of.on_cost : of.off_cost)[static_cast<std::size_t>(target)];
            }
            if (keeps(cost) && (!is_on || choice_count(target) > 1)) {
                take(Conclusion{target, is_on, cost, kind, region, choices_});
            }
        };
        for_each(on, [&](int target) { conclude(target, true); });
        for_each(off, [&](int target) { conclude(target, false); });
    }

    Field<Words> field_;
    Consequences<Words> consequences_;
    std::vector<Outcome> outcomes_;
    std::vector<int> choices_;
};

} // namespace sudokumill::explainer::chains
