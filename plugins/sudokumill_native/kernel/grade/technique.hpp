// The techniques by their names, and what one is called with.
#pragma once

#include <cstdint>
#include <string_view>

#include "../outcome.hpp"
#include "candidate_grid.hpp"

namespace sudokumill::explainer {

/// Every technique of the scale. Where two find the same thing at the same rating, the first of them gets the
/// name.
enum class Technique : std::uint8_t {
    hidden_single_last,
    hidden_single_box,
    hidden_single_line,
    direct_pointing,
    direct_claiming,
    direct_hidden_pair,
    naked_single,
    direct_hidden_triplet,
    pointing,
    claiming,
    naked_pair,
    x_wing,
    hidden_pair,
    naked_triplet,
    swordfish,
    hidden_triplet,
    xy_wing,
    xyz_wing,
    unique_rectangle_1,
    unique_rectangle_2,
    unique_rectangle_3,
    unique_rectangle_4,
    unique_loop_1,
    unique_loop_2,
    unique_loop_3,
    unique_loop_4,
    naked_quad,
    jellyfish,
    hidden_quad,
    bug_1,
    bug_2,
    bug_3,
    bug_4,
    aligned_pair_exclusion,
    x_cycle,
    y_cycle,
    forcing_x_chain,
    xy_cycle,
    forcing_chain,
    aligned_triplet_exclusion,
    nishio,
    cell_forcing_chains,
    region_forcing_chains,
    // Eight rows of four: the dynamic chains, the same with (+), and the four kinds of nested ones.
    dynamic_cell_forcing_chains,
    dynamic_region_forcing_chains,
    dynamic_contradiction_forcing_chains,
    dynamic_double_forcing_chains,
    dynamic_cell_forcing_chains_plus,
    dynamic_region_forcing_chains_plus,
    dynamic_contradiction_forcing_chains_plus,
    dynamic_double_forcing_chains_plus,
    nested_forcing_cell_chains, // 9.5: forcing chains inside
    nested_forcing_region_chains,
    nested_forcing_contradiction_chains,
    nested_forcing_double_chains,
    nested_multiple_cell_chains, // 10.0: cell and region chains inside
    nested_multiple_region_chains,
    nested_multiple_contradiction_chains,
    nested_multiple_double_chains,
    nested_dynamic_cell_chains, // 10.5: dynamic chains inside
    nested_dynamic_region_chains,
    nested_dynamic_contradiction_chains,
    nested_dynamic_double_chains,
    nested_dynamic_plus_cell_chains, // 11.0: dynamic chains (+) inside
    nested_dynamic_plus_region_chains,
    nested_dynamic_plus_contradiction_chains,
    nested_dynamic_plus_double_chains,
};

constexpr int kTechniques = static_cast<int>(Technique::nested_dynamic_plus_double_chains) + 1;

/// Ratings in tenths: 42 is 4.2. Whole numbers, so that equal ones are equal.
using Tenths = std::uint16_t;

/// The code of a technique, in kebab-case: "hidden-single-box".
std::string_view code_of(Technique technique);

/// The lowest rating of a hint by it.
Tenths least_rating_of(Technique technique);

/// What a puzzle may cost, counted and not timed, so that it is the same on every machine.
///
/// A unit is an assumption that is followed to its end: a candidate taken to be right or wrong, and all that comes
/// of it. How many of them a technique makes must not depend on how the grid is turned, and so must not on the
/// order in which it makes them.
class Budget {
  public:
    /// The check, if there is one, is asked now and then, and throws to end all.
    explicit Budget(std::uint64_t units, const StopCheck* stop_check = nullptr)
        : left_(units), stop_check_(stop_check) {}

    /// Takes units off. False if there were fewer left: the technique returns at once, and what it has found is
    /// not used.
    bool spend(std::uint64_t units = 1) {
        if (left_ < units) {
            left_ = 0;
            exhausted_ = true;
            return false;
        }
        if (stop_check_ != nullptr && left_ / kUnitsBetween != (left_ - units) / kUnitsBetween) {
            (*stop_check_)();
        }
        left_ -= units;
        return true;
    }

    bool exhausted() const { return exhausted_; }

  private:
    static constexpr std::uint64_t kUnitsBetween = 256;

    std::uint64_t left_;
    const StopCheck* stop_check_;
    bool exhausted_ = false;
};

class HintSink;

namespace chains {
class BranchStore;
}

/// Memory that the chaining techniques keep from one call to the next; chains/ knows what is in it.
struct ChainMemory;

/// What a technique is called with, beside the grid.
struct Search {
    HintSink& hints;
    Budget& budget;
    ChainMemory* chain_memory;               // nullptr: the technique makes its own
    const Grid* solution = nullptr;          // of the grid; nullptr: it is not known, or there is none
    chains::BranchStore* branches = nullptr; // takes what chains are made of; nullptr: nobody asks
};

/// Finds all that a technique can see in a grid, and gives it to the sink.
///
/// The sink keeps what has the lowest rating; so a technique may leave out what is above another hint of its own
/// (HintSink::keeps), and need not sort.
using Find = void (*)(const CandidateGrid& grid, Search& search);

} // namespace sudokumill::explainer
