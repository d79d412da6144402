// The batch engine for CPUs with AVX2; compiled with the flags in avx2.flags.
#define SUDOKUMILL_BUILD_AVX2
#include "dig.hpp"
#include "engine.hpp"
#include "finals.hpp"
#include "minimal.hpp"
#include "ordered_search.hpp"
#include "solve.hpp"

namespace sudokumill {

const Engine kAvx2Engine = {
    .name = "avx2",
    .lanes = avx2::kLanes,
    .solve = &avx2::solve,
    .solve_single = &avx2::solve_single,
    .solve_in_order = &avx2::solve_in_order,
    .dig = &avx2::dig,
    .find_minimal = &avx2::find_minimal,
    .make_finals = &avx2::make_finals,
};

} // namespace sudokumill
