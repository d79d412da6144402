// Lanes: a vector of 16-bit numbers, one for each puzzle that is worked on in lockstep.
//
// The batch engine is one source that is compiled several times, each time for other CPUs, in a namespace of its
// own: what is here is the only part that differs.
//
//     build       lanes    vectors
//     avx512         32    512 bits; masks of lanes have registers of their own
//     avx2           16    256 bits; masks of lanes are vectors
//     portable        8    128 bits, in the vector notation of GCC and clang, for any CPU
//
// The operators & | ^ ~ + - of the compilers' own vector types do what they say, lane by lane. All others have
// names. What takes three vectors has a name too, since AVX-512 does any such function in one instruction and
// gcc 12 does not find it by itself.
//
// Rules of all files that are compiled more than once: no templates or inline functions of the standard library,
// as the linker keeps one copy of each for all builds, which could be the one with instructions that the CPU
// lacks; nothing static that is not constant.
#pragma once

#include <cstddef>
#include <cstdint>

#define SUDOKUMILL_INLINE inline __attribute__((always_inline))

#if defined(SUDOKUMILL_BUILD_AVX512)
#define SUDOKUMILL_BUILD avx512
#include "lanes_avx512.hpp"
#elif defined(SUDOKUMILL_BUILD_AVX2)
#define SUDOKUMILL_BUILD avx2
#include "lanes_avx2.hpp"
#else
#define SUDOKUMILL_BUILD portable
#include "lanes_portable.hpp"
#endif

namespace sudokumill::SUDOKUMILL_BUILD {

constexpr LaneMask kAllLanes = static_cast<LaneMask>((std::uint64_t{1} << kLanes) - 1);

/// The lanes 0 .. count-1.
constexpr LaneMask first_lanes(int count) { return static_cast<LaneMask>((std::uint64_t{1} << count) - 1); }

constexpr LaneMask lane_bit(int lane) { return LaneMask{1} << lane; }

/// The lowest lane of a mask that is not empty.
constexpr int first_of(LaneMask mask) { return __builtin_ctz(mask); }

constexpr int count_of(LaneMask mask) { return __builtin_popcount(mask); }

/// The lowest bit of each lane.
SUDOKUMILL_INLINE Lanes lowest(Lanes a) { return a & (Lanes{} - a); }

} // namespace sudokumill::SUDOKUMILL_BUILD
