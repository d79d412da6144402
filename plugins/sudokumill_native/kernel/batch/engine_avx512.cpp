// The batch engine for CPUs with AVX-512; compiled with the flags in avx512.flags.
#define SUDOKUMILL_BUILD_AVX512
#include "dig.hpp"
#include "engine.hpp"
#include "finals.hpp"
#include "minimal.hpp"
#include "ordered_search.hpp"
#include "solve.hpp"

namespace sudokumill {

const Engine kAvx512Engine = {
    .name = "avx512",
    .lanes = avx512::kLanes,
    .solve = &avx512::solve,
    .solve_single = &avx512::solve_single,
    .solve_in_order = &avx512::solve_in_order,
    .dig = &avx512::dig,
    .find_minimal = &avx512::find_minimal,
    .make_finals = &avx512::make_finals,
};

} // namespace sudokumill
