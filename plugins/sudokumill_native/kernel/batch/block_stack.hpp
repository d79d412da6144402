// Blocks that wait for free lanes, the last one first.
#pragma once

#include "engine.hpp"
#include "state.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// A stack of blocks that grows.
///
/// What waits are the second branches of a search that goes into depth, so there are few: at most as many for each
/// lane as the tree is deep, however many solutions are counted.
class BlockStack {
  public:
    BlockStack() = default;
    BlockStack(const BlockStack&) = delete;
    BlockStack& operator=(const BlockStack&) = delete;
    ~BlockStack() {
        for (int i = 0; i < allocated_; ++i) {
            delete blocks_[i];
        }
    }

    bool empty() const { return height_ == 0; }
    Block& top() { return *blocks_[height_ - 1]; }
    void pop() { --height_; }

    Block& push() {
        if (height_ == allocated_) {
            if (allocated_ == kMost) {
                stack_is_full();
            }
            // with zeros: what moves some lanes of a block reads them all
            blocks_[allocated_] = new Block{};
            ++allocated_;
        }
        return *blocks_[height_++];
    }

  private:
    // 512 digs at once on 8 lanes, and the first branches above one place in a tree: each puts a digit into a row
    // or into a column, so there are fewer than 162
    static constexpr int kMost = 512 / 8 * 2 * kCellCount;

    Block* blocks_[kMost];
    int height_ = 0;
    int allocated_ = 0;
};

} // namespace sudokumill::SUDOKUMILL_BUILD
