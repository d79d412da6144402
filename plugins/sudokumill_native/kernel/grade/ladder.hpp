// The ladder: the techniques in the order in which they are tried.
#pragma once

#include <span>

#include "technique.hpp"

namespace sudokumill::explainer {

/// Techniques that are looked for together.
struct Rung {
    Tenths least; // the lowest rating that it gives
    Find find;
    Tenths least_from_here = 0; // the lowest that it or any rung further down gives
};

/// From the easiest on. A rung further down may give a lower rating than one above gave.
std::span<const Rung> ladder();

} // namespace sudokumill::explainer
