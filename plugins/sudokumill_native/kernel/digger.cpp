#include "digger.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "splitmix.hpp"

namespace sudokumill {
namespace {

/// The one orbit with an odd number of cells (the centre, under a rotation), or null if there are several.
///
///     a b c | . . .      Under a half turn, 41 orbits: 40 pairs and the centre. Whether it goes decides whether
///     . . . | . . .      the number of clues is odd, so an order for 30 clues cannot be met with it, nor one for
///     ------+------      31 without it.
///     . . . | c b a
const Orbit* only_odd_orbit(const std::vector<Orbit>& orbits) {
    const auto is_odd = [](const Orbit& orbit) { return orbit.size % 2 == 1; };
    return std::ranges::count_if(orbits, is_odd) == 1 ? &*std::ranges::find_if(orbits, is_odd) : nullptr;
}

/// Draws the plan of each row from its seed, and marks rows that are no finals.
class Planner {
  public:
    Planner(const DigRows& batch, const DigOrder& order) : batch_(batch), order_(order) {
        for (const auto& orbit : order.orbits) {
            orbits_.push_back({.cells = orbit.data(), .size = static_cast<int>(orbit.size())});
        }
        odd_ = only_odd_orbit(orbits_);
    }

    void plan(std::size_t row, DigPlan& plan) const {
        plan.orbits = orbits_.data();
        plan.turn_count = 0;
        const bool digs = is_final(GridView(batch_.finals + kCells * row, kCells));
        batch_.status[row] = static_cast<std::uint8_t>(digs ? DigStatus::dug : DigStatus::not_a_final);
        if (!digs) {
            return;
        }
        SplitMix64 random(batch_.seeds[row]);
        const int aim = order_.aims[random.below(static_cast<int>(order_.aims.size()))];
        plan.fewest = order_.minimal ? 0 : aim;
        const std::size_t count = orbits_.size();
        const std::span turns(plan.turns, count);
        for (std::size_t turn = 0; turn < count; ++turn) {
            turns[turn] = static_cast<std::uint8_t>(turn);
        }
        random.shuffle(turns);
        plan.turn_count = static_cast<int>(count);

        // With an aim, the orbit that decides odd or even goes at once, which a final always allows, or never.
        if (plan.fewest > 0 && odd_ != nullptr) {
            const auto turn = std::ranges::find(turns, static_cast<std::uint8_t>(odd_ - orbits_.data()));
            if ((kCells - plan.fewest) % 2 == 1) {
                std::rotate(turns.begin(), turn, turn + 1);
            } else {
                std::rotate(turn, turn + 1, turns.end());
                --plan.turn_count;
            }
        }
    }

    /// Whether every puzzle comes out minimal: each clue was tried by itself, and none was kept for an aim.
    bool leaves_minimal() const {
        return order_.minimal && std::ranges::all_of(orbits_, [](const Orbit& orbit) { return orbit.size == 1; });
    }

  private:
    const DigRows& batch_;
    const DigOrder& order_;
    std::vector<Orbit> orbits_;
    const Orbit* odd_ = nullptr;
};

/// Whether no single clue of a unique puzzle can go.
bool is_minimal(const Engine& engine, GridView puzzle) {
    std::vector<Grid> grids; // the puzzle without each of its clues
    for (int cell = 0; cell < kCells; ++cell) {
        if (puzzle[cell] != 0) {
            std::ranges::copy(puzzle, grids.emplace_back().begin());
            grids.back()[cell] = 0;
        }
    }
    std::vector<std::int64_t> counts(grids.size());
    std::vector<std::int64_t> nodes(grids.size());
    std::vector<Grid> solutions(grids.size());
    constexpr SolveOrder count_to_two{
        .limit = 2, .max_nodes = std::numeric_limits<std::int64_t>::max(), .pause = {}};
    engine.solve({.puzzles = grids.data()->data(),
                  .rows = grids.size(),
                  .counts = counts.data(),
                  .solutions = solutions.data()->data(),
                  .nodes = nodes.data()},
                 count_to_two);
    return std::ranges::all_of(counts, [](std::int64_t count) { return count == 2; });
}

} // namespace

void dig_batch(const Engine& engine, const DigRows& batch, const DigOrder& order, const StopCheck* stop_check) {
    Planner planner(batch, order);
    engine.dig({
        .finals = batch.finals,
        .rows = batch.rows,
        .puzzles = batch.puzzles,
        .plan = [](void* context, std::size_t row,
                   DigPlan& plan) { static_cast<const Planner*>(context)->plan(row, plan); },
        .context = &planner,
        .pause = pause_of(stop_check),
    });
    for (std::size_t row = 0; row < batch.rows; ++row) {
        const GridSpan puzzle(batch.puzzles + kCells * row, kCells);
        if (batch.status[row] == static_cast<std::uint8_t>(DigStatus::not_a_final)) {
            std::ranges::fill(puzzle, std::uint8_t{0});
            continue;
        }
        const int clues = clue_count(puzzle);
        const bool in_range = order.least <= clues && clues <= order.most;
        if (!in_range || (order.minimal && !planner.leaves_minimal() && !is_minimal(engine, puzzle))) {
            batch.status[row] = static_cast<std::uint8_t>(DigStatus::missed);
        }
    }
}

} // namespace sudokumill
