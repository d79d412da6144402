#include "hint.hpp"

namespace sudokumill::explainer {
namespace {

/// A number that hints of equal effect share. Others hardly ever do, and then it is looked up what they do.
std::uint64_t signature_of(const Hint& hint) {
    std::uint64_t sum =
        static_cast<std::uint64_t>(hint.placed_cell + 1) * 16 + static_cast<std::uint64_t>(hint.placed_digit);
    if (hint.placed_cell >= 0) {
        return sum;
    }
    for (const CellSet& cells : hint.eliminations.cells) {
        sum = sum * 0x9E3779B97F4A7C15 + (cells.upper ^ (cells.lower << 37));
    }
    return sum;
}

bool have_equal_effect(const Hint& one, const Hint& other) {
    return one.placed_cell == other.placed_cell && one.placed_digit == other.placed_digit &&
           (one.placed_cell >= 0 || one.eliminations == other.eliminations);
}

} // namespace

void HintSink::clear() {
    count_ = 0;
    rating_ = kNoRating;
}

void HintSink::add(const Hint& hint) {
    if (!keeps(hint.rating, hint.complexity) || (hint.placed_cell < 0 && hint.eliminations.empty())) {
        return;
    }
    if (hint.rating < rating_ || hint.complexity < complexity_) {
        count_ = 0;
        rating_ = hint.rating;
        complexity_ = hint.complexity;
    }
    const std::uint64_t signature = signature_of(hint);
    for (std::size_t index = 0; index < count_; ++index) {
        if (signatures_[index] == signature && have_equal_effect(hints_[index], hint)) {
            if (hint.technique < hints_[index].technique) {
                hints_[index] = hint;
            }
            return;
        }
    }
    if (count_ == hints_.size()) {
        hints_.push_back(hint);
        signatures_.push_back(signature);
    } else {
        hints_[count_] = hint;
        signatures_[count_] = signature;
    }
    ++count_;
}

} // namespace sudokumill::explainer
