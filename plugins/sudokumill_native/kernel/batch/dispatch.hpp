// Which builds of the batch engine this machine can run.
#pragma once

#include <span>
#include <string_view>

#include "engine.hpp"

namespace sudokumill {

/// The builds that this CPU can run, the fastest first. The last one is `portable`, which any can.
std::span<const Engine* const> runnable_engines();

/// One of these by its name; null if there is none.
const Engine* find_engine(std::string_view name);

} // namespace sudokumill
