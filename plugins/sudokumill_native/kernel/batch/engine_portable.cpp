// The batch engine for portable.
#define SUDOKUMILL_BUILD_PORTABLE
#include "engine.hpp"
#include "single_search.hpp"
#include "solve.hpp"

namespace sudokumill {

const Engine kPortableEngine = {
    .name = "portable",
    .lanes = portable::kLanes,
    .solve = &portable::solve,
    .solve_single = &portable::solve_single,
};

} // namespace sudokumill
