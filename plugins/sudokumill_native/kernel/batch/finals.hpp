// Finals in lockstep, each from its own seed, all equally likely but for a stated error.
//
//     # # # | # # # | # # #     Box 1, then the rest of its band, then the rest of its stack are drawn: there
//     # # # | # # # | # # #     are 9! ways, 56 * 6^6 and 56 * 6^6, any band with any stack, each equally
//     # # # | # # # | # # #     likely. Such a start has 2,700 completions, more or fewer.
//     ------+-------+------
//     # # # | . . . | . . .     From there a lane goes down the tree of a search. At the first 11 branchings it
//     # # # | . . . | . . .     tosses coins. What is left is a subtree with one or two solutions, seldom more
//     # # # | . . . | . . .     than 16. One of the numbers 0 .. 2^(K-11) - 1 is drawn, and the solution with that
//     ------+-------+------     number is taken; if there are not so many, the lane begins anew.
//     # # # | . . . | . . .
//     # # # | . . . | . . .     So every final comes up with the same probability, that of its start times 2^-K,
//     # # # | . . . | . . .     but for those that never do because their number is too great.
//
// (A solution that took k < 11 coins is number 0 of 2^(11-k) subtrees.)
//
// Which share of all finals never comes up, of 1.5 million subtrees:
//
//     K        14       15        16         17       18
//     share    1.3 %   0.05 %   0.005 %   0.0007 %   none      each step takes twice the time
//
// The coins are those of the row, and branches are chosen at fixpoints only, so a final depends on its seed alone.
//
// Rejected: coins to the end, a final that took k of them accepted with a probability of 2^(k-K), which at the
// same cost misses ten times as many; to count all completions of a start, which takes 3,000 times as long as to
// find one; to fill in eleven clues and solve, which leaves half of all bands with three digits together (3.6 % is
// right).
#pragma once

#include "band_table.hpp"
#include "engine.hpp"
#include "owned.hpp"
#include "search.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

class FinalsMaker {
  public:
    explicit FinalsMaker(const FinalsBatch& batch) : batch_(batch) {
        for (int cell = 0; cell < kCellCount; ++cell) {
            state_.cells.at[cell] = all_lanes(kAnyDigit);
            start_.at[cell] = all_lanes(kAnyDigit);
            top_.at[cell] = all_lanes(kAnyDigit);
        }
    }

    void run() {
        unsigned events = 0;
        for (;;) {
            Verdict verdict = {};
            LaneMask running = 0;
            if (active_ != 0) {
                verdict = two_passes(state_);
                running = active_ & verdict.changed & ~verdict.dead & ~verdict.solved;
                if (count_of(running) > kFewRunning) {
                    continue;
                }
            }
            if ((++events & 0xFFF) == 0 && batch_.pause.call != nullptr) {
                batch_.pause.call(batch_.pause.context);
            }
            LaneMask ended = active_ & verdict.dead;
            const LaneMask accepted = accept(active_ & verdict.solved & ~verdict.dead, ended);
            active_ &= ~accepted;
            branch(active_ & ~running & ~ended, ended);
            LaneMask again = 0; // lanes that begin anew
            LaneMask back = 0;  // lanes that go back to the top of their subtree
            for (LaneMask left = ended; left != 0; left &= left - 1) {
                const int lane = first_of(left);
                (rows_[lane].go_on() ? back : again) |= lane_bit(lane);
            }
            for (LaneMask left = again; left != 0; left &= left - 1) {
                start(first_of(left));
            }
            const LaneMask begun = again | begin_rows();
            if (active_ == 0) {
                break;
            }
            const Where starting = where(begun);
            const Where returning = where(back);
            for (int cell = 0; cell < kCellCount; ++cell) {
                const Lanes candidates = pick(returning, top_.at[cell], state_.cells.at[cell]);
                state_.cells.at[cell] = pick(starting, start_.at[cell], candidates);
            }
        }
        accepted_lanes_.write();
    }

  private:
    // with more, fewer subtrees have a solution; with fewer, more have too many
    static constexpr int kCoins = kLeastUniformity;

    /// What a lane works on.
    struct Row {
        std::size_t index;
        std::uint64_t random; // state of the row's stream
        std::uint64_t coins;  // those that are left
        int tossed;
        unsigned number; // of the solution to take
        bool in_subtree;

        // The way down the subtree, bit by bit from the top: 1 is outside. It has at most 36 bits: nine digits in
        // two bands and two stacks, of which one box is drawn; what is left are two placements, and a branch
        // decides.
        std::uint64_t path;
        int length; // of the path
        int depth;  // how much of it was gone

        bool next_turn() {
            if (!in_subtree) {
                const bool outside = (coins & 1) != 0;
                coins >>= 1;
                ++tossed;
                return outside;
            }
            if (depth == length) {
                path &= ~(std::uint64_t{1} << length++);
            }
            return (path >> depth++ & 1) != 0;
        }

        /// Turns to the next way down the subtree; false if there is none.
        bool go_on() {
            depth = 0;
            while (length > 0 && (path >> (length - 1) & 1) != 0) {
                --length;
            }
            if (length == 0) {
                return false;
            }
            path |= std::uint64_t{1} << (length - 1);
            return true;
        }
    };

    /// The stream of SplitMix64. (That of splitmix.hpp would be one function for all builds.)
    static SUDOKUMILL_INLINE std::uint64_t word(std::uint64_t& state) {
        state += 0x9E3779B97F4A7C15U;
        std::uint64_t word = state;
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9U;
        word = (word ^ (word >> 27)) * 0x94D049BB133111EBU;
        return word ^ (word >> 31);
    }

    /// A number below `bound` from the top of a word, which keeps the rest for further ones: of 21 bits that are
    /// drawn from 64, each outcome is as likely as any other up to 2^-43.
    static SUDOKUMILL_INLINE unsigned take(std::uint64_t& word, unsigned bound) {
        // the top of a product of 96 bits, in two steps: not every platform has numbers of 128
        const std::uint64_t low = (word & 0xFFFFFFFFU) * bound;
        const std::uint64_t high = (word >> 32) * bound + (low >> 32);
        word *= bound;
        return static_cast<unsigned>(high >> 32);
    }

    LaneMask begin_rows() {
        LaneMask begun = 0;
        for (LaneMask free = kAllLanes & ~active_; free != 0 && next_ < batch_.rows; free &= free - 1) {
            const int lane = first_of(free);
            rows_[lane].index = next_;
            rows_[lane].random = batch_.seeds[next_];
            ++next_;
            start(lane);
            begun |= lane_bit(lane);
        }
        active_ |= begun;
        return begun;
    }

    void set(int lane, int row, int column, unsigned candidate) {
        start_.at[kPlaces.cell[9 * row + column]][lane] = static_cast<std::uint16_t>(candidate);
    }

    /// Draws box 1, its band and its stack.
    void start(int lane) {
        Row& row = rows_[lane];
        std::uint64_t for_box = word(row.random);
        std::uint64_t for_band = word(row.random);
        std::uint64_t for_stack = word(row.random);
        row.coins = word(row.random);
        const std::uint64_t for_number = row.coins >> (2 * kCoins);
        row.number = static_cast<unsigned>(for_number & ((std::uint64_t{1} << (batch_.uniformity - kCoins)) - 1));
        row.tossed = 0;
        row.in_subtree = false;
        row.length = 0;
        std::uint16_t digits[9] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
        for (unsigned last = 8; last > 0; --last) {
            const unsigned other = take(for_box, last + 1);
            const std::uint16_t digit = digits[other];
            digits[other] = digits[last];
            digits[last] = digit;
        }
        for (int i = 0; i < 9; ++i) {
            set(lane, i / 3, i % 3, digits[i]);
        }
        const auto& in_band = kBandTable.digits[take(for_band, kBandWays)];
        const auto& in_stack = kBandTable.digits[take(for_stack, kBandWays)];
        for (int box = 0; box < 2; ++box) {
            for (int line = 0; line < 3; ++line) {
                const auto& across = kOrders[take(for_band, 6)];
                const auto& down = kOrders[take(for_stack, 6)];
                for (int i = 0; i < 3; ++i) {
                    const int digit = in_band[box][3 * line + across[i]];
                    set(lane, line, 3 + 3 * box + i, digits[digit]);
                    const int turned = in_stack[box][3 * line + down[i]]; // of box 1 with rows for columns
                    set(lane, 3 + 3 * box + i, line, digits[turned % 3 * 3 + turned / 3]);
                }
            }
        }
    }

    /// Takes the solutions that have the number that was drawn; the other lanes have ended.
    LaneMask accept(LaneMask solved, LaneMask& ended) {
        LaneMask accepted = 0;
        std::uint8_t* rows[kLanes];
        for (; solved != 0; solved &= solved - 1) {
            const int lane = first_of(solved);
            Row& row = rows_[lane];
            // the coins that were not tossed stand for subtrees that would hold the same solution
            const std::uint64_t untossed = (std::uint64_t{1} << (kCoins - row.tossed)) - 1;
            if (row.number == 0 && (row.coins & untossed) == 0) {
                accepted |= lane_bit(lane);
                rows[lane] = batch_.finals + kCellCount * row.index;
            } else {
                ended |= lane_bit(lane);
                row.number -= row.number > 0 ? 1 : 0;
            }
        }
        if (accepted != 0) {
            accepted_lanes_.take(state_.cells, accepted, rows);
        }
        return accepted;
    }

    /// Takes stalled lanes inside or outside. Those that turn out to be dead have ended.
    void branch(LaneMask stalled, LaneMask& ended) {
        if (stalled == 0) {
            return;
        }
        choose_branches(state_, stalled, branches_);
        ended |= branches_.hopeless;
        LaneMask outside = 0;
        LaneMask at_top = 0;
        for (LaneMask left = stalled & ~branches_.hopeless; left != 0; left &= left - 1) {
            const int lane = first_of(left);
            Row& row = rows_[lane];
            if (!row.in_subtree && row.tossed == kCoins) {
                row.in_subtree = true;
                row.depth = 0;
                at_top |= lane_bit(lane);
            }
            outside |= row.next_turn() ? lane_bit(lane) : 0;
        }
        const Where is_at_top = where(at_top);
        const Where is_outside = where(outside);
        for (int line = 0; line < 54; ++line) {
            branches_.inside[line] = pick(is_outside, branches_.outside[line], branches_.inside[line]);
        }
        for (int cell = 0; cell < kCellCount; ++cell) {
            top_.at[cell] = pick(is_at_top, state_.cells.at[cell], top_.at[cell]);
            state_.cells.at[cell] = without(branches_.inside, cell, state_.cells.at[cell]);
        }
    }

    const FinalsBatch& batch_;
    State state_;
    Cells start_;
    Cells top_; // of each lane's subtree
    Branches branches_;
    SolvedLanes accepted_lanes_;
    Row rows_[kLanes] = {};
    LaneMask active_ = 0;
    std::size_t next_ = 0;
};

inline void make_finals(const FinalsBatch& batch) {
    const Owned<FinalsMaker> maker(batch);
    maker->run();
}

} // namespace sudokumill::SUDOKUMILL_BUILD
