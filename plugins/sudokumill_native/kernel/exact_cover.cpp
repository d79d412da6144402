#include "exact_cover.hpp"

#include <array>
#include <bit>

namespace sudokumill {
namespace {

constexpr int kConstraints = 4 * 81;
constexpr int kPlacements = 729;

/// Where a placement stands in one of its constraints: option `option` of constraint `constraint`.
struct Place {
    std::uint16_t constraint;
    std::uint16_t option; // a bit, 1 << 0 .. 1 << 8
};

/// The constraints, each with nine options:
///
///       0 ..  80   cell c has a digit              options: digits
///      81 .. 161   row r has digit d               options: columns
///     162 .. 242   column c has digit d            options: rows
///     243 .. 323   box b has digit d               options: cells of the box
///
/// and each placement (81 * digit - 81 + cell) is an option of four of them.
struct Tables {
    std::array<std::array<Place, 4>, kPlacements> places{};
    std::array<std::array<std::uint16_t, 9>, kConstraints> placements{};
};

constexpr Tables kTables = [] {
    Tables tables{};
    for (int digit = 0; digit < kDigits; ++digit) {
        for (int cell = 0; cell < kCells; ++cell) {
            const int row = row_of(cell);
            const int column = column_of(cell);
            const int in_box = row % 3 * 3 + column % 3;
            const int constraints[4] = {cell, 81 + 9 * row + digit, 162 + 9 * column + digit,
                                        243 + 9 * box_of(cell) + digit};
            const int options[4] = {digit, column, row, in_box};
            const int placement = 81 * digit + cell;
            for (int kind = 0; kind < 4; ++kind) {
                tables.places[placement][kind] = {static_cast<std::uint16_t>(constraints[kind]),
                                                  static_cast<std::uint16_t>(1U << options[kind])};
                tables.placements[constraints[kind]][options[kind]] = static_cast<std::uint16_t>(placement);
            }
        }
    }
    return tables;
}();

constexpr bool is_single(unsigned options) { return (options & (options - 1)) == 0; }

/// What is left to choose.
///
///     cell r1c1     1 . . 4 . . . . 9     options_[0]  = 0b1'0000'1001      open
///     cell r1c2     . 2 . . . . . . .     options_[1]  = 0b0'0000'0010      met, not open any more
///     ...
///
/// A constraint's options are a mask, not a list of links (Knuth, "Dancing links", 2000): removing one is one AND,
/// "one left" is one test, and going back is a copy of 700 bytes instead of the reverse of every removal.
class Cover {
  public:
    Cover() {
        options_.fill((1U << 9) - 1);
        for (int constraint = 0; constraint < kConstraints; ++constraint) {
            open_[constraint / 64] |= std::uint64_t{1} << (constraint % 64);
        }
    }

    /// Takes a placement, and all that follows from it; false if a constraint cannot be met any more.
    bool choose(int placement) {
        Queue queue;
        if (!take(placement, queue)) {
            return false;
        }
        while (queue.size > 0) {
            const int constraint = queue.constraints[--queue.size];
            if (is_open(constraint) && !take(option_of(constraint), queue)) {
                return false;
            }
        }
        return true;
    }

    bool is_open(int constraint) const { return (open_[constraint / 64] >> (constraint % 64) & 1) != 0; }

    unsigned options(int constraint) const { return options_[constraint]; }

    /// The open constraint with the fewest options, the first of equal ones; -1 if all are met.
    int narrowest() const {
        int best = -1;
        int fewest = kDigits + 1;
        for (int word = 0; word < kWords; ++word) {
            for (std::uint64_t left = open_[word]; left != 0; left &= left - 1) {
                const int constraint = 64 * word + std::countr_zero(left);
                const int count = std::popcount(options_[constraint]);
                if (count < fewest) {
                    best = constraint;
                    fewest = count;
                }
                if (fewest == 2) {
                    return best; // none has one: choose() left no such constraint open
                }
            }
        }
        return best;
    }

    /// The digits of the cells; all constraints must be met.
    Grid digits() const {
        Grid grid{};
        for (int cell = 0; cell < kCells; ++cell) {
            grid[cell] = static_cast<std::uint8_t>(std::countr_zero(options_[cell]) + 1);
        }
        return grid;
    }

    static constexpr int placement(int cell, int digit) { return 81 * (digit - 1) + cell; }

  private:
    static constexpr int kWords = (kConstraints + 63) / 64;

    /// Constraints that came down to one option. Each does so once, as what is removed leaves all its constraints.
    struct Queue {
        std::array<std::uint16_t, kConstraints> constraints;
        int size = 0;
    };

    int option_of(int constraint) const {
        return kTables.placements[constraint][std::countr_zero(options_[constraint])];
    }

    /// Meets the placement's four constraints by it, and removes all their other options.
    bool take(int placement, Queue& queue) {
        const auto& places = kTables.places[placement];
        for (const auto& [constraint, option] : places) {
            if ((options_[constraint] & option) == 0) {
                return false; // a clue that contradicts what followed from others
            }
            open_[constraint / 64] &= ~(std::uint64_t{1} << (constraint % 64));
        }
        for (const auto& [constraint, option] : places) {
            for (unsigned others = options_[constraint] & ~option; others != 0; others &= others - 1) {
                if (!remove(kTables.placements[constraint][std::countr_zero(others)], queue)) {
                    return false;
                }
            }
        }
        return true;
    }

    bool remove(int placement, Queue& queue) {
        for (const auto& [constraint, option] : kTables.places[placement]) {
            const unsigned left = options_[constraint] & ~option;
            options_[constraint] = static_cast<std::uint16_t>(left);
            if (left == 0) {
                return false;
            }
            if (is_single(left) && is_open(constraint)) {
                queue.constraints[queue.size++] = constraint;
            }
        }
        return true;
    }

    std::array<std::uint16_t, kConstraints> options_;
    std::array<std::uint64_t, kWords> open_{}; // constraints that no chosen placement meets yet
};

class CoverSearch {
  public:
    explicit CoverSearch(const SearchBounds& bounds) : bounds_(bounds) {}

    SolveOutcome run(GridView puzzle) {
        Cover cover;
        bool possible = true;
        for (int cell = 0; cell < kCells && possible; ++cell) {
            possible = puzzle[cell] == 0 || cover.choose(Cover::placement(cell, puzzle[cell]));
        }
        if (possible) {
            descend(cover);
        }
        outcome_.status = status_of(outcome_.count, bounds_.limit, ran_out_);
        return outcome_;
    }

  private:
    void descend(const Cover& cover) {
        const int constraint = cover.narrowest();
        if (constraint < 0) {
            if (outcome_.count++ == 0) {
                outcome_.solution = cover.digits();
            }
            return;
        }
        for (unsigned left = cover.options(constraint); left != 0 && !is_over(); left &= left - 1) {
            if (outcome_.nodes == bounds_.max_nodes) {
                ran_out_ = true;
                return;
            }
            bounds_.ask_at(++outcome_.nodes);
            Cover next = cover;
            if (next.choose(kTables.placements[constraint][std::countr_zero(left)])) {
                descend(next);
            }
        }
    }

    bool is_over() const { return ran_out_ || outcome_.count == bounds_.limit; }

    SearchBounds bounds_;
    SolveOutcome outcome_;
    bool ran_out_ = false;
};

} // namespace

SolveOutcome search_cover(GridView puzzle, const SearchBounds& bounds) {
    if (has_clash(puzzle)) {
        return {.status = SolveStatus::clash};
    }
    return CoverSearch(bounds).run(puzzle);
}

} // namespace sudokumill
