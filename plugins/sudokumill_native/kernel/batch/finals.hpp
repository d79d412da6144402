// Finals in lockstep, each from its own seed, all equally likely but for a stated error.
//
//     # # # | # # # | # # #     Box 1, then the rest of its band, then the rest of its stack are drawn: there are
//     # # # | # # # | # # #     9! ways, 56 * 6^6 and 56 * 6^6, any band with any stack, each equally likely. The
//     # # # | # # # | # # #     other 36 cells follow from passes and, where these stall, from fair coins: inside
//     ------+-------+------     or outside, as the search branches.
//     # # # | . . . | . . .
//     # # # | . . . | . . .     A final that took k coins comes up with a probability of 2^-k. It is accepted with
//     a # # # | . . . | . . .     probability of 2^(k-K), so that all come up with 2^-K; what is not accepted, or
//     has
//     ------+-------+------     no solution, begins anew.
//     # # # | . . . | . . .
//     # # # | . . . | . . .     For a K above all k that is exact. Finals with k > K are accepted whenever they
//     come # # # | . . . | . . .     up, which is too rarely: they are 0.06 % at K = 16, 2.7 % at 14, 27 % at 12.
//
// The coins are those of the row, and branches are chosen at fixpoints only, so a final depends on its seed alone.
//
// Rejected: to fill in eleven clues and solve, which leaves half of all bands with three digits together (3.6 % is
// right); to count the completions of a start, of which there are 2,700.
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
            const LaneMask accepted = accept(active_ & verdict.solved & ~verdict.dead);
            LaneMask again = active_ & (verdict.solved | verdict.dead) & ~accepted;
            active_ &= ~accepted;
            again |= branch(active_ & ~running & ~again);
            for (LaneMask left = again; left != 0; left &= left - 1) {
                start(first_of(left));
            }
            const LaneMask begun = again | begin_rows();
            if (active_ == 0) {
                break;
            }
            const Where starting = where(begun);
            for (int cell = 0; cell < kCellCount; ++cell) {
                state_.cells.at[cell] = pick(starting, start_.at[cell], state_.cells.at[cell]);
            }
        }
        accepted_lanes_.write();
    }

  private:
    static constexpr int kFewRunning = kLanes * 5 / 8;

    /// What a lane works on.
    struct Row {
        std::size_t index;
        std::uint64_t random; // state of the row's stream
        std::uint64_t coins;
        int tossed;
    };

    /// The stream of SplitMix64.
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
        __extension__ typedef unsigned __int128 Wide;
        const Wide product = static_cast<Wide>(word) * bound;
        word = static_cast<std::uint64_t>(product);
        return static_cast<unsigned>(product >> 64);
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
        row.tossed = 0;
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

    LaneMask accept(LaneMask solved) {
        LaneMask accepted = 0;
        std::uint8_t* rows[kLanes];
        for (; solved != 0; solved &= solved - 1) {
            const int lane = first_of(solved);
            Row& row = rows_[lane];
            const int excess = batch_.uniformity - row.tossed;
            if (excess <= 0 || word(row.random) >> (64 - excess) == 0) {
                accepted |= lane_bit(lane);
                rows[lane] = batch_.finals + kCellCount * row.index;
            }
        }
        if (accepted != 0) {
            accepted_lanes_.take(state_.cells, accepted, rows);
        }
        return accepted;
    }

    /// Tosses a coin for each stalled lane. Gives back those that turned out to be dead.
    LaneMask branch(LaneMask stalled) {
        if (stalled == 0) {
            return 0;
        }
        choose_branches(state_, stalled, branches_);
        LaneMask outside = 0;
        for (LaneMask left = stalled & ~branches_.hopeless; left != 0; left &= left - 1) {
            const int lane = first_of(left);
            Row& row = rows_[lane];
            outside |= (row.coins & 1) != 0 ? lane_bit(lane) : 0;
            row.coins >>= 1;
            if (++row.tossed % 64 == 0) {
                row.coins = word(row.random);
            }
        }
        const Where is_outside = where(outside);
        for (int line = 0; line < 54; ++line) {
            branches_.inside[line] = pick(is_outside, branches_.outside[line], branches_.inside[line]);
        }
        for (int cell = 0; cell < kCellCount; ++cell) {
            state_.cells.at[cell] = without(branches_.inside, cell, state_.cells.at[cell]);
        }
        return branches_.hopeless;
    }

    const FinalsBatch& batch_;
    State state_;
    Cells start_;
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
