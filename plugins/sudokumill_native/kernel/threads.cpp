#include "threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sudokumill {
namespace {

/// Ends a thread because another one failed; so it is never the first error, which is the one that is kept.
struct Stopped {};

/// Threads that are waited for at the end of their scope. (std::jthread is too new for some libraries.)
struct Joined {
    std::vector<std::thread> threads;

    ~Joined() {
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
};

/// What the threads of one call know of each other.
class Team {
  public:
    explicit Team(int members) : at_work_(members) {}

    /// Does a member's share; what it throws, if it is the first to, is kept.
    template <typename Share> void work(Share share) {
        try {
            share();
        } catch (...) {
            fail(std::current_exception());
        }
        leave(1);
    }

    /// So many members do nothing more.
    void leave(int members) {
        const std::lock_guard lock(mutex_);
        at_work_ -= members;
        changed_.notify_all();
    }

    void fail(std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        error_ = error_ ? error_ : error;
        stopped_ = true;
    }

    void stop_if_told() const {
        if (stopped_) {
            throw Stopped{};
        }
    }

    /// Waits until nobody works any more, and asks meanwhile.
    void wait(const StopCheck& stop_check) {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return at_work_ == 0; })) {
            lock.unlock();
            try {
                stop_check();
            } catch (...) {
                fail(std::current_exception());
            }
            lock.lock();
        }
    }

    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int at_work_;
    std::atomic<bool> stopped_ = false;
    std::exception_ptr error_;
};

} // namespace

void in_threads(std::size_t rows, int threads, const StopCheck& stop_check, const DoRows& do_rows) {
    const std::size_t members =
        std::clamp<std::size_t>(static_cast<std::size_t>(threads), 1, std::max<std::size_t>(rows, 1));
    if (members == 1) {
        do_rows(0, rows, stop_check);
        return;
    }
    Team team(static_cast<int>(members));
    const auto share = [&](std::size_t member, const StopCheck& check) {
        const std::size_t first = rows * member / members;
        const std::size_t end = rows * (member + 1) / members;
        team.work([&] { do_rows(first, end - first, check); });
    };
    const StopCheck of_others = [&team] { team.stop_if_told(); };
    const StopCheck of_caller = [&] {
        team.stop_if_told();
        stop_check();
    };
    Joined others;
    for (std::size_t member = 1; member < members; ++member) {
        try {
            others.threads.emplace_back([&share, &of_others, member] { share(member, of_others); });
        } catch (...) { // there can be no more threads
            team.fail(std::current_exception());
            team.leave(static_cast<int>(members - member));
            break;
        }
    }
    share(0, of_caller);
    team.wait(stop_check);
    team.rethrow();
}

} // namespace sudokumill
