// The memory of the chains whose links the chain itself does not change.
#pragma once

#include <array>

#include "cycles.hpp"
#include "levels.hpp"

namespace sudokumill::explainer::chains {

/// Links of one kind, and how far chains of them have been followed.
template <int Words> struct Chase {
    Links<Words> links;
    Levels<Words> from_on;
    Levels<Words> from_off;
    Cycles<Words> cycles;
};

/// All that a search for cycles and forcing chains needs.
struct StaticMemory {
    std::array<Chase<1>, kDigits> digits;
    Chase<2> bivalue;
    Chase<4> mixed;
    Chase<9> mixed_large; // where there are more than 256 candidates
};

} // namespace sudokumill::explainer::chains
