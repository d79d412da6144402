#include "ladder.hpp"

#include <algorithm>
#include <array>

#include "chains/dynamic_chains.hpp"
#include "chains/forcing_chains.hpp"
#include "chains/multiple_chains.hpp"
#include "chains/nested_chains.hpp"
#include "chains/nishio.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

template <std::size_t kRungs> constexpr std::array<Rung, kRungs> with_bounds(std::array<Rung, kRungs> rungs) {
    Tenths least = rungs.back().least;
    for (std::size_t index = kRungs; index-- > 0;) {
        least = std::min(least, rungs[index].least);
        rungs[index].least_from_here = least;
    }
    return rungs;
}

constexpr std::array kLadder = with_bounds(std::array{
    Rung{10, &find_hidden_single_last},
    Rung{12, &find_hidden_single_box},
    Rung{15, &find_hidden_single_line},
    Rung{17, &find_direct_pointing},
    Rung{19, &find_direct_claiming},
    Rung{20, &find_direct_hidden_pair},
    Rung{23, &find_naked_single},
    Rung{25, &find_direct_hidden_triplet},
    Rung{26, &find_pointing},
    Rung{28, &find_claiming},
    Rung{30, &find_naked_pair},
    Rung{32, &find_x_wing},
    Rung{34, &find_hidden_pair},
    Rung{36, &find_naked_triplet},
    Rung{38, &find_swordfish},
    Rung{40, &find_hidden_triplet},
    Rung{42, &find_xy_wing},
    Rung{44, &find_xyz_wing},
    Rung{45, &find_unique_loop},
    Rung{50, &find_naked_quad},
    Rung{52, &find_jellyfish},
    Rung{54, &find_hidden_quad},
    Rung{56, &find_bivalue_universal_grave},
    Rung{62, &find_aligned_pair_exclusion},
    Rung{65, &find_forcing_chains},
    Rung{75, &find_aligned_triplet_exclusion},
    Rung{75, &find_nishio},
    Rung{80, &find_multiple_chains},
    Rung{85, &find_dynamic_chains},
    Rung{90, &find_dynamic_plus_chains},
    Rung{95, &find_nested_forcing_chains},
    Rung{100, &find_nested_multiple_chains},
    Rung{105, &find_nested_dynamic_chains},
    Rung{110, &find_nested_dynamic_plus_chains},
});

} // namespace

std::span<const Rung> ladder() { return kLadder; }

} // namespace sudokumill::explainer
