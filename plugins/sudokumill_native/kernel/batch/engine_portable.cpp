// The batch engine for any CPU; compiled with no flags of its own.
#define SUDOKUMILL_BUILD_PORTABLE
#include "dig.hpp"
#include "engine.hpp"
#include "finals.hpp"
#include "minimal.hpp"
#include "ordered_search.hpp"
#include "solve.hpp"

namespace sudokumill {

const Engine kPortableEngine = {
    .name = "portable",
    .lanes = portable::kLanes,
    .solve = &portable::solve,
    .solve_single = &portable::solve_single,
    .solve_in_order = &portable::solve_in_order,
    .dig = &portable::dig,
    .find_minimal = &portable::find_minimal,
    .make_finals = &portable::make_finals,
};

} // namespace sudokumill
