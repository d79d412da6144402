#include "digger.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "minimality.hpp"
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
        plan.fewest = order_.minimal || order_.added > 0 ? 0 : aim;
        const std::size_t count = orbits_.size();
        const std::span turns(plan.turns, count);
        count_up(turns);
        if (order_.shuffled) {
            random.shuffle(turns);
        }
        if (order_.blank.any()) {
            // not std::ranges::stable_partition: what it returns is too much for clang 14
            std::stable_partition(turns.begin(), turns.end(),
                                  [this](std::uint8_t turn) { return is_unwanted(orbits_[turn]); });
        }
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
        plan.deciding = plan.fewest > 0 && !order_.shuffled ? deciding_turn(plan) : -1;
    }

    /// Puts clues back into a puzzle, orbit by orbit in an order of their own, until there are as many as wanted; false
    /// if there are too few blanks.
    bool put_back(std::size_t row) const {
        // not the stream of the plan: what went last would come back first, as if it had not been tried
        SplitMix64 random(SplitMix64(batch_.seeds[row] ^ kPutBack).word());
        std::uint8_t numbers[kCells];
        const std::span turns(numbers, orbits_.size());
        count_up(turns);
        random.shuffle(turns);
        const std::uint8_t* const final_grid = batch_.finals + kCells * row;
        std::uint8_t* const puzzle = batch_.puzzles + kCells * row;
        int left = order_.added;
        for (std::size_t turn = 0; turn < turns.size() && left > 0; ++turn) {
            const Orbit& orbit = orbits_[turns[turn]];
            if (puzzle[orbit.cells[0]] != 0 || is_unwanted(orbit)) {
                continue;
            }
            for (int i = 0; i < orbit.size; ++i) {
                puzzle[orbit.cells[i]] = final_grid[orbit.cells[i]];
            }
            left -= orbit.size;
        }
        return left <= 0;
    }

    /// Whether every puzzle comes out minimal: each clue was tried by itself, and none was kept for anything else.
    bool leaves_minimal() const {
        return order_.minimal && order_.row_min == 0 && order_.column_min == 0 &&
               std::ranges::all_of(orbits_, [](const Orbit& orbit) { return orbit.size == 1; });
    }

  private:
    static constexpr std::uint64_t kPutBack = 0xB5AD4ECEDA1CE2A9U; // any number: the seed of another stream

    static void count_up(std::span<std::uint8_t> turns) {
        for (std::size_t turn = 0; turn < turns.size(); ++turn) {
            turns[turn] = static_cast<std::uint8_t>(turn);
        }
    }

    bool is_unwanted(const Orbit& orbit) const {
        return std::any_of(orbit.cells, orbit.cells + orbit.size,
                           [this](std::uint8_t cell) { return order_.blank[cell]; });
    }

    /// The turn of the last orbit with an odd number of cells, if orbits with an even number follow; else -1. From
    /// then on the number of clues stays odd or even.
    int deciding_turn(const DigPlan& plan) const {
        int last = plan.turn_count - 1;
        while (last >= 0 && orbits_[plan.turns[last]].size % 2 == 0) {
            --last;
        }
        return last == plan.turn_count - 1 ? -1 : last;
    }

    const DigRows& batch_;
    const DigOrder& order_;
    std::vector<Orbit> orbits_;
    const Orbit* odd_ = nullptr;
};

/// Counts the solutions of each grid up to two.
std::vector<std::int64_t> count_to_two(const Engine& engine, std::span<const std::uint8_t> grids, Pause pause) {
    const std::size_t rows = grids.size() / kCells;
    std::vector<std::int64_t> counts(rows);
    std::vector<std::int64_t> nodes(rows);
    std::vector<std::uint8_t> solutions(grids.size());
    engine.solve({.puzzles = grids.data(),
                  .rows = rows,
                  .counts = counts.data(),
                  .solutions = solutions.data(),
                  .nodes = nodes.data()},
                 {.limit = 2, .max_nodes = std::numeric_limits<std::int64_t>::max(), .pause = pause});
    return counts;
}

void set_status(const DigRows& batch, std::size_t row, DigStatus status) {
    batch.status[row] = static_cast<std::uint8_t>(status);
}

/// Leaves the clues of a pattern where these have one solution, and zeros where they have several.
void dig_pattern(const Engine& engine, const DigRows& batch, const DigOrder& order, Pause pause) {
    constexpr std::size_t kRowsOfPattern = 4096; // so few that they stay in the processor's cache
    for (std::size_t first = 0; first < batch.rows; first += kRowsOfPattern) {
        pause.call(pause.context); // most counts are over before they would ask
        const std::size_t rows = std::min(kRowsOfPattern, batch.rows - first);
        const std::span puzzles(batch.puzzles + kCells * first, kCells * rows);
        for (std::size_t row = first; row < first + rows; ++row) {
            const GridView final_grid(batch.finals + kCells * row, kCells);
            const bool digs = is_final(final_grid);
            set_status(batch, row, digs ? DigStatus::dug : DigStatus::not_a_final);
            for (int cell = 0; cell < kCells; ++cell) {
                batch.puzzles[kCells * row + cell] = digs && !order.blank[cell] ? final_grid[cell] : 0;
            }
        }
        const std::vector<std::int64_t> counts = count_to_two(engine, puzzles, pause);
        for (std::size_t row = first; row < first + rows; ++row) {
            if (counts[row - first] == 1) {
                continue;
            }
            if (batch.status[row] == static_cast<std::uint8_t>(DigStatus::dug)) {
                set_status(batch, row, DigStatus::missed);
            }
            std::fill_n(batch.puzzles + kCells * row, kCells, std::uint8_t{0});
        }
    }
}

/// Takes orbits out of each final, one after the other.
void dig_orbits(const Engine& engine, const DigRows& batch, const DigOrder& order, const Planner& planner,
                Pause pause) {
    engine.dig({
        .finals = batch.finals,
        .rows = batch.rows,
        .puzzles = batch.puzzles,
        .plan = [](void* context, std::size_t row,
                   DigPlan& plan) { static_cast<const Planner*>(context)->plan(row, plan); },
        .context = const_cast<Planner*>(&planner),
        .row_min = order.row_min,
        .column_min = order.column_min,
        .pause = pause,
    });
    for (std::size_t row = 0; row < batch.rows; ++row) {
        if (batch.status[row] == static_cast<std::uint8_t>(DigStatus::not_a_final)) {
            std::fill_n(batch.puzzles + kCells * row, kCells, std::uint8_t{0});
        } else if (order.added > 0 && !planner.put_back(row)) {
            set_status(batch, row, DigStatus::missed);
        }
    }
}

/// Whether a puzzle is what was asked for, as far as its clues show.
bool is_on_target(GridView puzzle, const DigOrder& order) {
    for (int cell = 0; order.blank.any() && cell < kCells; ++cell) {
        if (order.blank[cell] && puzzle[cell] != 0) {
            return false;
        }
    }
    const int clues = clue_count(puzzle);
    return order.least <= clues && clues <= order.most;
}

} // namespace

void dig_batch(const Engine& engine, const DigRows& batch, const DigOrder& order, const StopCheck* stop_check) {
    const Planner planner(batch, order);
    const Pause pause = pause_of(stop_check);
    if (order.pattern) {
        dig_pattern(engine, batch, order, pause);
    } else {
        dig_orbits(engine, batch, order, planner, pause);
    }
    std::vector<std::uint8_t> minimal;
    if (order.minimal && (order.pattern || !planner.leaves_minimal())) {
        minimal.resize(batch.rows);
        find_minimal(
            engine,
            {.puzzles = batch.puzzles, .solutions = batch.finals, .rows = batch.rows, .minimal = minimal.data()},
            stop_check);
    }
    for (std::size_t row = 0; row < batch.rows; ++row) {
        if (batch.status[row] != static_cast<std::uint8_t>(DigStatus::dug)) {
            continue;
        }
        const GridView puzzle(batch.puzzles + kCells * row, kCells);
        if (!is_on_target(puzzle, order) || (!minimal.empty() && minimal[row] == 0)) {
            set_status(batch, row, DigStatus::missed);
        }
    }
}

} // namespace sudokumill
