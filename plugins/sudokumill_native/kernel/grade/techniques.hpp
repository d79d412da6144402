// The techniques that do not chain; each stands in a file named after it.
#pragma once

#include "technique.hpp"

namespace sudokumill::explainer {

// hidden_single.cpp
void find_hidden_single_last(const CandidateGrid& grid, Search& search);
void find_hidden_single_box(const CandidateGrid& grid, Search& search);
void find_hidden_single_line(const CandidateGrid& grid, Search& search);

// naked_single.cpp
void find_naked_single(const CandidateGrid& grid, Search& search);

// direct_locked_candidates.cpp
void find_direct_pointing(const CandidateGrid& grid, Search& search);
void find_direct_claiming(const CandidateGrid& grid, Search& search);

// direct_hidden_subset.cpp
void find_direct_hidden_pair(const CandidateGrid& grid, Search& search);
void find_direct_hidden_triplet(const CandidateGrid& grid, Search& search);

// locked_candidates.cpp
void find_pointing(const CandidateGrid& grid, Search& search);
void find_claiming(const CandidateGrid& grid, Search& search);

// naked_subset.cpp
void find_naked_pair(const CandidateGrid& grid, Search& search);
void find_naked_triplet(const CandidateGrid& grid, Search& search);
void find_naked_quad(const CandidateGrid& grid, Search& search);

// hidden_subset.cpp
void find_hidden_pair(const CandidateGrid& grid, Search& search);
void find_hidden_triplet(const CandidateGrid& grid, Search& search);
void find_hidden_quad(const CandidateGrid& grid, Search& search);

// fish.cpp
void find_x_wing(const CandidateGrid& grid, Search& search);
void find_swordfish(const CandidateGrid& grid, Search& search);
void find_jellyfish(const CandidateGrid& grid, Search& search);

// wing.cpp
void find_xy_wing(const CandidateGrid& grid, Search& search);
void find_xyz_wing(const CandidateGrid& grid, Search& search);

// unique_loop.cpp
void find_unique_loop(const CandidateGrid& grid, Search& search);

// bivalue_universal_grave.cpp
void find_bivalue_universal_grave(const CandidateGrid& grid, Search& search);

// aligned_pair_exclusion.cpp
void find_aligned_pair_exclusion(const CandidateGrid& grid, Search& search);

// aligned_triplet_exclusion.cpp
void find_aligned_triplet_exclusion(const CandidateGrid& grid, Search& search);

} // namespace sudokumill::explainer
