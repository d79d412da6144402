// A library that is loaded before all others and puts the time of day of its process off by CLOCK_SHIFT seconds. The
// clock that only measures how long something takes (CLOCK_MONOTONIC) stays as it is, as on a machine that is set wrong.

#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <sys/time.h>

namespace {

long shift() {
  const char* const seconds = std::getenv("CLOCK_SHIFT");
  return seconds == nullptr ? 0 : std::atol(seconds);
}

} // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  using Function = int (*)(clockid_t, timespec*);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = next(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    now->tv_sec += shift();
  }
  return result;
}

extern "C" int gettimeofday(timeval* now, void* zone) noexcept {
  using Function = int (*)(timeval*, void*);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "gettimeofday"));
  const int result = next(now, zone);
  if (result == 0) {
    now->tv_sec += shift();
  }
  return result;
}

extern "C" time_t time(time_t* now) noexcept {
  using Function = time_t (*)(time_t*);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "time"));
  const time_t result = next(nullptr) + shift();
  if (now != nullptr) {
    *now = result;
  }
  return result;
}
