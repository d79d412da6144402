// The search: all lanes in lockstep, each at its own place in its own tree.
//
//     work ----> incoming block ----+
//                                   v
//     stack of second branches --> free lanes     +--> solved: counted, and written if it is the first
//          ^                        |             |
//          |                    two passes -------+--> dead: the lane is free
//          |                        |             |
//          +--- no lane is free ----|---<---------+--> stalled: the first branch stays in the lane, the second
//                                   |                  goes into a free one
//                                   +<-- still running
//
// A lane that is done stays idle until few enough lanes still run, since serving one costs as much as serving all.
//
// Rejected: one branch after the other (lanes fall idle at the end of a batch, and what waits costs more than a
// lane); taking the state back by undoing (a lane would need a history of its own).
#pragma once

#include "block_stack.hpp"
#include "branch.hpp"
#include "pass.hpp"
#include "solved_lanes.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// Searches all branches of all tasks that `Work` hands out. Work is a class with
///
///     bool next(Block& block)               fills an empty block; false if there is nothing more
///     bool is_done(int task)                nothing more is wanted of it: its other branches are dropped
///     void branched(int task)               the search branched
///     std::uint8_t* solved(int task)        a solution was found; where to write it, or null
///     void pause()                          called now and then; may throw
///
///     static constexpr bool kOneBranchFirst
///                                           second branches wait until there are no new tasks, which is better
///                                           where tasks are done with the first solution that is found
///
/// Each solution of a task is found once, until it is done; which ones come first depends on the other tasks.
template <class Work> class Search {
  public:
    explicit Search(Work& work) : work_(work) {
        for (Lanes& cell : state_.cells.at) {
            cell = all_lanes(kAnyDigit); // passes look at lanes too that never hold anything
        }
        incoming_.waiting = 0;
    }

    void run() {
        for (;;) {
            LaneMask running = 0;
            Verdict verdict = {};
            if (active_ != 0) {
                verdict = two_passes(state_);
                running = active_ & verdict.changed & ~verdict.dead & ~verdict.solved;
                if (count_of(running) > kFewRunning) {
                    continue;
                }
            }
            if ((++events_ & 0xFFF) == 0) {
                work_.pause();
            }
            take_solved(active_ & verdict.solved & ~verdict.dead);
            active_ &= ~(verdict.solved | verdict.dead);
            drop_done();
            branch(active_ & ~running);
            refill();
            if (active_ == 0) {
                break;
            }
        }
        solved_lanes_.write();
    }

  private:
    void take_solved(LaneMask solved) {
        LaneMask to_write = 0;
        std::uint8_t* rows[kLanes];
        for (; solved != 0; solved &= solved - 1) {
            const int lane = first_of(solved);
            const int task = task_[lane];
            if (!work_.is_done(task)) {
                rows[lane] = work_.solved(task);
                to_write |= rows[lane] != nullptr ? lane_bit(lane) : 0;
                some_done_ |= work_.is_done(task);
            }
        }
        if (to_write != 0) {
            solved_lanes_.take(state_.cells, to_write, rows);
        }
    }

    void drop_done() {
        if (some_done_) {
            some_done_ = false;
            for (LaneMask left = active_; left != 0; left &= left - 1) {
                active_ &= ~(work_.is_done(task_[first_of(left)]) ? lane_bit(first_of(left)) : 0);
            }
        }
    }

    void branch(LaneMask stalled) {
        if (stalled == 0) {
            return;
        }
        choose_branches(state_, stalled, branches_);
        active_ &= ~branches_.hopeless;
        stalled &= ~branches_.hopeless;
        Transfer forks;
        LaneMask free = Work::kOneBranchFirst ? 0 : kAllLanes & ~active_;
        LaneMask postponed = stalled;
        for (LaneMask left = stalled; left != 0; left &= left - 1) {
            const int lane = first_of(left);
            work_.branched(task_[lane]);
            some_done_ |= work_.is_done(task_[lane]);
            if (free != 0) {
                const int target = first_of(free);
                free &= free - 1;
                postponed &= ~lane_bit(lane);
                forks.add(lane, target);
                task_[target] = task_[lane];
            }
        }
        postpone(postponed);
        const Move move(forks.from);
        const Where target = where(forks.to);
        for (int cell = 0; cell < kCellCount; ++cell) {
            Lanes& candidates = state_.cells.at[cell];
            const Lanes second = moved(without(branches_.outside, cell, candidates), move);
            candidates = pick(target, second, without(branches_.inside, cell, candidates));
        }
        active_ |= forks.to;
    }

    /// Puts the second branches of lanes onto the stack.
    void postpone(LaneMask lanes) {
        while (lanes != 0) {
            if (waiting_.empty() || waiting_.top().waiting == kAllLanes) {
                waiting_.push().waiting = 0;
            }
            Block& block = waiting_.top();
            Transfer transfer;
            for (LaneMask free = kAllLanes & ~block.waiting; free != 0 && lanes != 0; free &= free - 1) {
                const int lane = first_of(lanes);
                lanes &= lanes - 1;
                transfer.add(lane, first_of(free));
                block.task[first_of(free)] = task_[lane];
            }
            block.waiting |= transfer.to;
            const Move move(transfer.from);
            const Where target = where(transfer.to);
            for (int cell = 0; cell < kCellCount; ++cell) {
                const Lanes second = without(branches_.outside, cell, state_.cells.at[cell]);
                block.cells.at[cell] = pick(target, moved(second, move), block.cells.at[cell]);
            }
        }
    }

    bool has_incoming() { return incoming_.waiting != 0 || work_.next(incoming_); }

    /// Fills free lanes with what waits and with new tasks.
    void refill() {
        LaneMask free = kAllLanes & ~active_;
        while (free != 0) {
            const bool from_stack = Work::kOneBranchFirst ? !has_incoming() : !waiting_.empty();
            if (from_stack ? waiting_.empty() : !has_incoming()) {
                return;
            }
            Block& block = from_stack ? waiting_.top() : incoming_;
            Transfer fills;
            for (; free != 0 && block.waiting != 0; block.waiting &= block.waiting - 1) {
                const int lane = first_of(block.waiting);
                const int task = block.task[lane];
                if (!work_.is_done(task)) {
                    const int target = first_of(free);
                    free &= free - 1;
                    fills.add(lane, target);
                    task_[target] = task;
                }
            }
            if (from_stack && block.waiting == 0) {
                waiting_.pop(); // its memory stays until the next push
            }
            const Move move(fills.from);
            const Where target = where(fills.to);
            for (int cell = 0; cell < kCellCount; ++cell) {
                Lanes& candidates = state_.cells.at[cell];
                candidates = pick(target, moved(block.cells.at[cell], move), candidates);
            }
            active_ |= fills.to;
        }
    }

    Work& work_;
    State state_;
    Branches branches_;
    Block incoming_;
    BlockStack waiting_;
    SolvedLanes solved_lanes_;
    LaneMask active_ = 0;
    int task_[kLanes] = {};
    bool some_done_ = false;
    unsigned events_ = 0;
};

} // namespace sudokumill::SUDOKUMILL_BUILD
