// How a batch is done while Python waits: on which threads, by which build, and until when.
#pragma once

#include <cstddef>
#include <string>

#include <nanobind/nanobind.h>

#include "../kernel/batch/dispatch.hpp"
#include "../kernel/outcome.hpp"
#include "../kernel/threads.hpp"

namespace sudokumill {

/// A check that ends a batch when a signal raises, as Ctrl-C does.
StopCheck signal_check();

/// Does each row of a batch, with the GIL free for other threads and a look at signals between rows.
template <typename DoRow> void for_each_row(std::size_t rows, DoRow do_row) {
    const nanobind::gil_scoped_release other_threads_run;
    const StopCheck stop_check = signal_check();
    for (std::size_t index = 0; index < rows; ++index) {
        do_row(index, stop_check);
        stop_check();
    }
}

/// Does a batch on some threads, with the GIL free for others.
void do_batch(std::size_t rows, int threads, const DoRows& do_rows);

/// A build by its name.
const Engine& engine_of(const std::string& build);

} // namespace sudokumill
