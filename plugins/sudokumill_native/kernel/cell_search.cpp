#include "cell_search.hpp"

#include "board.hpp"

namespace sudokumill {
namespace {

class CellSearch {
  public:
    explicit CellSearch(const SearchBounds& bounds) : bounds_(bounds) {}

    SolveOutcome run(Board& board) {
        if (board.deduce()) {
            descend(board);
        }
        outcome_.status = status_of(outcome_.count, bounds_.limit, ran_out_);
        return outcome_;
    }

  private:
    /// Counts the solutions of a board that has been deduced.
    void descend(const Board& board) {
        if (board.is_complete()) {
            if (outcome_.count++ == 0) {
                outcome_.solution = board.placed_digits();
            }
            return;
        }
        const int cell = board.narrowest_cell();
        for (int digit = 1; digit <= kDigits && !is_over(); ++digit) {
            if (!board.allows(cell, digit)) {
                continue;
            }
            if (outcome_.nodes == bounds_.max_nodes) {
                ran_out_ = true;
                return;
            }
            bounds_.ask_at(++outcome_.nodes);
            Board next = board;
            next.place(cell, digit);
            if (next.deduce()) {
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

SolveOutcome search_cells(GridView puzzle, const SearchBounds& bounds) {
    if (has_clash(puzzle)) {
        return {.status = SolveStatus::clash};
    }
    Board board(puzzle);
    return CellSearch(bounds).run(board);
}

bool has_solution_without(GridView clues, int cell, int digit) {
    Board board(clues);
    board.ban(cell, digit);
    return CellSearch({.limit = 1}).run(board).count != 0;
}

} // namespace sudokumill
