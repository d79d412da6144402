// Finals from seeds.
#pragma once

#include <cstdint>

#include "grid.hpp"

namespace sudokumill {

/// The final of a seed: three boxes at random, the rest by search, then a random isomorphism.
///
/// The isomorphism makes every final of a class equally likely, so each cell holds each digit equally often.
/// Classes are not equally likely: a search finds those more often that leave it more ways.
Grid make_final(std::uint64_t seed);

} // namespace sudokumill
