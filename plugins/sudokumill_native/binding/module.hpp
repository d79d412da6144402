// The parts of the module; each adds its functions, and the numbers that these speak of.
//
// Arrays are taken with noconvert: one of another dtype or memory order is refused, not copied behind the caller's
// back.
#pragma once

#include <nanobind/nanobind.h>

namespace sudokumill {

void bind_solving(nanobind::module_& module);
void bind_making(nanobind::module_& module); // finals and puzzles
void bind_canonical(nanobind::module_& module);
void bind_grading(nanobind::module_& module);
void bind_peer(nanobind::module_& module);

} // namespace sudokumill
