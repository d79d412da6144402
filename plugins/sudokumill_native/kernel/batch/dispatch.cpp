#include "dispatch.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace sudokumill {
namespace {

#ifdef SUDOKUMILL_X86
// One by one, as a name of a CPU or of a level says less than what the build needs; these are its flags.
bool has_avx2() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

bool has_avx512() {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bitalg");
}
#endif

constexpr std::array kEngines = {
#ifdef SUDOKUMILL_X86
    &kAvx512Engine,
    &kAvx2Engine,
#endif
    &kPortableEngine,
};

} // namespace

void stack_is_full() { throw std::bad_alloc(); }

std::span<const Engine* const> runnable_engines() {
#ifdef SUDOKUMILL_X86
    const std::size_t too_new = has_avx512() ? 0 : has_avx2() ? 1 : 2;
#else
    const std::size_t too_new = 0;
#endif
    return std::span<const Engine* const>(kEngines).subspan(too_new);
}

const Engine* find_engine(std::string_view name) {
    const auto engines = runnable_engines();
    const auto found = std::ranges::find(engines, name, [](const Engine* engine) { return engine->name; });
    return found == engines.end() ? nullptr : *found;
}

} // namespace sudokumill
