// Lanes that move, and solved lanes on their way to rows.
#pragma once

#include "rows.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// Lanes that move: lane from[l] to lane l, for each l in `to`.
struct Transfer {
    std::uint16_t from[kLanes] = {};
    LaneMask to = 0;

    SUDOKUMILL_INLINE void add(int source, int target) {
        from[target] = static_cast<std::uint16_t>(source);
        to |= lane_bit(target);
    }
};

/// Solved lanes that are collected until there are enough to be turned into rows.
class SolvedLanes {
  public:
    /// Takes lanes of a state, each with the row that it belongs to.
    void take(const Cells& cells, LaneMask which, std::uint8_t* const (&row_of_lane)[kLanes]) {
        while (which != 0) {
            Transfer transfer;
            for (; which != 0 && count_ < kLanes; which &= which - 1) {
                const int lane = first_of(which);
                rows_[count_] = row_of_lane[lane];
                transfer.add(lane, count_++);
            }
            const Move move(transfer.from);
            const Where target = where(transfer.to);
            for (int cell = 0; cell < kCellCount; ++cell) {
                cells_.at[cell] = pick(target, moved(cells.at[cell], move), cells_.at[cell]);
            }
            if (count_ == kLanes) {
                write();
            }
        }
    }

    void write() {
        store_rows(cells_, first_lanes(count_), rows_);
        count_ = 0;
    }

  private:
    Cells cells_ = {};
    std::uint8_t* rows_[kLanes] = {};
    int count_ = 0;
};

} // namespace sudokumill::SUDOKUMILL_BUILD
