// What is too large for the stack of a thread.
#pragma once

#include <new>

#include "lanes.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// An object on the heap, gone at the end of its scope.
template <class T> class Owned {
  public:
    template <class... Arguments> explicit Owned(Arguments&... arguments) : object_(new T(arguments...)) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { delete object_; }

    T* operator->() const { return object_; }

  private:
    T* object_;
};

} // namespace sudokumill::SUDOKUMILL_BUILD
