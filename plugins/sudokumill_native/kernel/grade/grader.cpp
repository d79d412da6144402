#include "grader.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "candidate_grid.hpp"
#include "ladder.hpp"

namespace sudokumill::explainer {
namespace {

/// The cells that a hidden or naked single fills.
int count_singles(const CandidateGrid& grid) {
    CellSet cells = few_candidates(grid).one;
    for (int digit = 0; digit < kDigits; ++digit) {
        for (std::uint32_t regions = grid.regions_with_one_place(digit); regions != 0; regions &= regions - 1) {
            const int region = std::countr_zero(regions);
            cells.add(cell_at(region, first_of(grid.positions(digit, region))));
        }
    }
    return cells.size();
}

/// A puzzle on its way to the solution.
class Ascent {
  public:
    Ascent(GridView puzzle, GridView solution, const GradeBounds& bounds, HintSink& hints,
           ChainMemory* chain_memory, std::vector<PathStep>* path)
        : bounds_(bounds), hints_(hints), budget_(bounds.effort, bounds.stop_check),
          search_{.hints = hints,
                  .budget = budget_,
                  .chain_memory = chain_memory,
                  .solution = &solution_,
                  .branches = path == nullptr ? nullptr : &branches_},
          grid_(puzzle), path_(path) {
        std::ranges::copy(solution, solution_.begin());
    }

    Grade go() {
        while (!grid_.complete() && look()) {
            record();
            for (const Hint& hint : hints_.hints()) {
                apply(hint);
            }
        }
        return grade_;
    }

  private:
    /// Looks for hints from the lowest rung on. False if grading ends here.
    bool look() {
        for (const Rung& rung : ladder()) {
            if (rung.least_from_here > bounds_.ceiling) {
                return end(GradeStatus::above, rung.least_from_here);
            }
            hints_.clear();
            branches_.clear();
            rung.find(grid_, search_);
            if (budget_.exhausted()) {
                return end(GradeStatus::gave_up, rung.least_from_here);
            }
            if (!hints_.empty()) {
                return hints_.rating() <= bounds_.ceiling || end(GradeStatus::above, hints_.rating());
            }
        }
        return end(GradeStatus::gave_up, ladder().back().least);
    }

    bool end(GradeStatus status, Tenths bound) {
        grade_.status = status;
        grade_.er = std::max(grade_.er, bound);
        return false;
    }

    void record() {
        const std::span<const Hint> hints = hints_.hints();
        if (hints_.rating() > grade_.er) {
            grade_.er = hints_.rating();
            grade_.hardest = std::ranges::min(hints, {}, &Hint::technique).technique;
        }
        if (grade_.steps == 0) {
            grade_.ed = grade_.er;
        }
        CellSet places;
        for (const Hint& hint : hints) {
            ++grade_.counts[static_cast<std::size_t>(hint.technique)];
            if (hint.placed_cell >= 0) {
                places.add(hint.placed_cell);
            }
        }
        grade_.steps += static_cast<std::uint32_t>(hints.size());
        grade_.rating_sum += static_cast<std::uint32_t>(hints.size()) * hints_.rating();
        if (places.any()) {
            grade_.ep = grade_.ep == 0 ? grade_.er : grade_.ep;
            note_choice(static_cast<std::uint32_t>(places.size()));
        }
        if (path_ != nullptr) {
            for (const Hint& hint : hints) {
                path_->push_back({hint, chains_of(hint)});
            }
        }
    }

    std::vector<chains::Chain> chains_of(const Hint& hint) const {
        std::vector<chains::Chain> all;
        if (hint.branches >= 0) {
            for (const chains::Branch& branch : branches_.at(hint.branches)) {
                all.push_back(chains::chain_of(grid_, branch));
            }
        }
        return all;
    }

    void note_choice(std::uint32_t of_hints) {
        if (grade_.bottleneck != 0 && of_hints >= grade_.bottleneck) {
            return;
        }
        const std::uint32_t choice = std::max(of_hints, static_cast<std::uint32_t>(count_singles(grid_)));
        if (grade_.bottleneck == 0 ||
            (choice < grade_.bottleneck && choice < static_cast<std::uint32_t>(grid_.blanks().size()))) {
            grade_.bottleneck = choice;
        }
    }

    void apply(const Hint& hint) {
        // Two hints of one look may place the same digit.
        if (hint.placed_cell >= 0) {
            if (grid_.value(hint.placed_cell) == CandidateGrid::kBlank) {
                grid_.place(hint.placed_cell, hint.placed_digit);
            }
            return;
        }
        for (int digit = 0; digit < kDigits; ++digit) {
            grid_.eliminate(hint.eliminations[digit], digit);
        }
    }

    const GradeBounds& bounds_;
    HintSink& hints_;
    Budget budget_;
    Grid solution_;
    Search search_;
    chains::BranchStore branches_;
    CandidateGrid grid_;
    std::vector<PathStep>* path_; // nullptr: nobody asks for it
    Grade grade_;
};

} // namespace

Grader::Grader() : chain_memory_(make_chain_memory()) {}

Grade Grader::grade(GridView puzzle, GridView solution, const GradeBounds& bounds, std::vector<PathStep>* path) {
    return Ascent(puzzle, solution, bounds, hints_, chain_memory_.get(), path).go();
}

} // namespace sudokumill::explainer
