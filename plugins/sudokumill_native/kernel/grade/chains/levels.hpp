// What follows from each candidate, breadth first from all of them at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "links.hpp"

namespace sudokumill::explainer::chains {

/// The candidates that become right in 1, 2, 3 ... steps, for each candidate of the links as the start.
///
/// All starts go forward together, so that a search for the shortest chain ends with no start followed further
/// than that chain is long.
///
///     start on     level 1: the start itself                    level k: 2k - 1 candidates from the start
///     start off    level 1: what its strong links make right    level k: 2k
template <int Words> class Levels {
  public:
    using Set = Bits<Words>;

    void begin(const Links<Words>& links, bool start_on) {
        Set all;
        for (int start = 0; start < links.count; ++start) {
            all.set(start);
        }
        begin(links, start_on, all);
    }

    /// The same for some starts; of the others nothing may be asked.
    void begin(const Links<Words>& links, bool start_on, const Set& starts) {
        links_ = &links;
        starts_ = starts;
        depth_ = 1;
        alive_ = false;
        seen_.resize(static_cast<std::size_t>(links.count));
        reserve(seen_.size());
        for_each(starts_, [&](int start) {
            const auto index = static_cast<std::size_t>(start);
            seen_[index] = levels_[index] = start_on ? Set::of(start) : links.strong[index];
            alive_ = alive_ || seen_[index].any();
        });
    }

    /// Goes one level further. False, once no start leads to anything new.
    bool advance() {
        if (!alive_) {
            return false;
        }
        const auto count = static_cast<std::size_t>(links_->count);
        reserve(count * static_cast<std::size_t>(depth_ + 1));
        const Set* last = &levels_[count * static_cast<std::size_t>(depth_ - 1)];
        Set* next = &levels_[count * static_cast<std::size_t>(depth_)];
        alive_ = false;
        for_each(starts_, [&](int start) {
            const auto index = static_cast<std::size_t>(start);
            next[index] = Set{};
            if (last[index].empty()) {
                return;
            }
            for_each(last[index], [&](int on) { next[index] |= links_->onward[static_cast<std::size_t>(on)]; });
            next[index].remove(seen_[index]);
            seen_[index] |= next[index];
            alive_ = alive_ || next[index].any();
        });
        ++depth_;
        return alive_;
    }

    /// The same for who goes on with others: where nothing is new, the next level is empty.
    bool go_on() {
        if (alive_) {
            return advance();
        }
        const auto count = static_cast<std::size_t>(links_->count);
        reserve(count * static_cast<std::size_t>(depth_ + 1));
        std::fill_n(levels_.begin() + static_cast<std::ptrdiff_t>(count * static_cast<std::size_t>(depth_)), count,
                    Set{});
        ++depth_;
        return false;
    }

    int depth() const { return depth_; }

    /// What is first reached at a level, from 1 to depth().
    const Set& at(int level, int start) const {
        return levels_[static_cast<std::size_t>(links_->count) * static_cast<std::size_t>(level - 1) +
                       static_cast<std::size_t>(start)];
    }

    const Links<Words>& links() const { return *links_; }

  private:
    void reserve(std::size_t sets) {
        if (levels_.size() < sets) {
            levels_.resize(sets);
        }
    }

    const Links<Words>* links_ = nullptr;
    Set starts_;
    int depth_ = 0;
    bool alive_ = false;
    std::vector<Set> seen_;
    std::vector<Set> levels_;
};

} // namespace sudokumill::explainer::chains
