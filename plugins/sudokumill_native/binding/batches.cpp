#include "batches.hpp"

#include <chrono>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

namespace sudokumill {

namespace nb = nanobind;

namespace {

/// Whether Python handles signals in this thread; can be asked without the GIL.
bool is_main_thread() {
#if defined(__linux__)
    return syscall(SYS_gettid) == getpid(); // so it is after a fork too, also from another thread
#elif defined(__APPLE__)
    return pthread_main_np() != 0;
#else
    return true;
#endif
}

/// Ends a batch when a signal raises, as Ctrl-C does. Called without the GIL, as often as one likes: it looks at a
/// clock (20 ns), and ten times a second it takes the GIL and asks.
///
/// Only in the main thread. Elsewhere Python has nothing to answer, and a thread that wants the GIL while the
/// interpreter goes down is killed in the middle of C++.
class SignalCheck {
  public:
    void operator()() {
        const Clock::time_point now = Clock::now();
        if (now < next_) {
            return;
        }
        if (!is_main_thread()) {
            next_ = Clock::time_point::max();
            return;
        }
        next_ = now + std::chrono::milliseconds(100);
        const nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
    }

  private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(100);
};

} // namespace

StopCheck signal_check() { return SignalCheck(); }

void do_batch(std::size_t rows, int threads, const DoRows& do_rows) {
    if (threads < 1) {
        throw nb::value_error("threads must be 1 or more");
    }
    const nb::gil_scoped_release other_threads_run;
    const StopCheck stop_check = signal_check();
    in_threads(rows, threads, stop_check, do_rows);
}

const Engine& engine_of(const std::string& build) {
    const Engine* engine = find_engine(build);
    if (engine == nullptr) {
        throw nb::value_error("no such build on this machine");
    }
    return *engine;
}

} // namespace sudokumill
