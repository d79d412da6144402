// A batch on several threads.
#pragma once

#include <cstddef>
#include <functional>

#include "outcome.hpp"

namespace sudokumill {

/// Part of a batch: so many rows from the first one on, and what is to be asked now and then while they are done.
using DoRows = std::function<void(std::size_t first, std::size_t rows, const StopCheck& stop_check)>;

/// Does the rows of a batch on so many threads, of which the caller's is one.
///
/// Threads live as long as the call, so nothing is left behind for a fork to break. What one of them throws ends
/// all and is thrown again; `stop_check` is asked by the caller's thread alone.
void in_threads(std::size_t rows, int threads, const StopCheck& stop_check, const DoRows& do_rows);

} // namespace sudokumill
