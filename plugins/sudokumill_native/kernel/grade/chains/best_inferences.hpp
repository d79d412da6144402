// The inferences of one kind of inner chains, each effect once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "inference.hpp"

namespace sudokumill::explainer::chains {

/// Keeps, of the chains with the same effect, the one with the lowest rating, and of these the simplest.
class BestInferences {
  public:
    explicit BestInferences(const CandidateGrid& now) : now_(now) {
        for (auto& of_digit : entry_of_) {
            of_digit.fill({-1, -1});
        }
    }

    /// The number of the inference of a chain, which is then to be given its reasons; -1: there is one as good.
    int offer(int cell, int digit, bool on, Tenths rating, int complexity, Technique technique) {
        if (on && count_of(now_.candidates(cell)) == 2) {
            digit = first_of(static_cast<NineBits>(now_.candidates(cell) & ~bit_of(digit)));
            on = false; // one of two is right: the other goes
        }
        auto& slot = entry_of_[static_cast<std::size_t>(digit)][static_cast<std::size_t>(cell)][on ? 1 : 0];
        const auto rank = std::pair(rating, complexity);
        if (slot >= 0 && entries_[static_cast<std::size_t>(slot)].rank <= rank) {
            return -1;
        }
        if (slot < 0) {
            slot = static_cast<std::int16_t>(entries_.size());
            entries_.emplace_back();
        }
        Entry& entry = entries_[static_cast<std::size_t>(slot)];
        entry.rank = rank;
        entry.inference = Inference{.gone = {}, .because = {}, .complexity = complexity, .technique = technique};
        if (on) {
            for_each_bit(static_cast<NineBits>(now_.candidates(cell) & ~bit_of(digit)),
                         [&](int other) { entry.inference.gone.add(cell, other); });
        } else {
            entry.inference.gone.add(cell, digit);
        }
        return slot;
    }

    Inference& at(int number) { return entries_[static_cast<std::size_t>(number)].inference; }

    /// Gives those that need the outer chain, the lowest ratings first.
    void give(std::vector<Inference>& found) {
        std::ranges::stable_sort(entries_, {}, &Entry::rank);
        for (const Entry& entry : entries_) {
            if (!entry.inference.because.empty()) {
                found.push_back(entry.inference);
            }
        }
    }

  private:
    struct Entry {
        std::pair<Tenths, int> rank;
        Inference inference;
    };

    const CandidateGrid& now_;
    std::vector<Entry> entries_;
    std::array<std::array<std::array<std::int16_t, 2>, kCells>, kDigits> entry_of_;
};

} // namespace sudokumill::explainer::chains
