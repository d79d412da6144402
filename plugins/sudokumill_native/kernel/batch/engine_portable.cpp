// The batch engine for portable.
#define SUDOKUMILL_BUILD_PORTABLE
#include "dig.hpp"
#include "engine.hpp"
#include "finals.hpp"
#include "single_search.hpp"
#include "solve.hpp"

namespace sudokumill {

const Engine kPortableEngine = {
    .name = "portable",
    .lanes = portable::kLanes,
    .solve = &portable::solve,
    .solve_single = &portable::solve_single,
    .dig = &portable::dig,
    .make_finals = &portable::make_finals,
};

} // namespace sudokumill
