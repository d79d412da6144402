// Numbers that wait for their turn.
#pragma once

#include <array>
#include <cstdint>

namespace sudokumill::explainer::chains {

/// First in, first out. It takes no more than Most numbers from one clear() to the next.
template <int Most> class Queue {
  public:
    void clear() { head_ = tail_ = 0; }
    bool empty() const { return head_ == tail_; }
    void put(int number) { numbers_[static_cast<std::size_t>(tail_++)] = static_cast<std::int16_t>(number); }
    int take() { return numbers_[static_cast<std::size_t>(head_++)]; }

  private:
    std::array<std::int16_t, Most> numbers_;
    int head_ = 0;
    int tail_ = 0;
};

} // namespace sudokumill::explainer::chains
