#include "technique.hpp"

#include <array>

namespace sudokumill::explainer {
namespace {

struct Entry {
    std::string_view code;
    Tenths least;
};

// In the order of the enumeration.
constexpr std::array<Entry, kTechniques> kEntries = {{
    {"hidden-single-last", 10},
    {"hidden-single-box", 12},
    {"hidden-single-line", 15},
    {"direct-pointing", 17},
    {"direct-claiming", 19},
    {"direct-hidden-pair", 20},
    {"naked-single", 23},
    {"direct-hidden-triplet", 25},
    {"pointing", 26},
    {"claiming", 28},
    {"naked-pair", 30},
    {"x-wing", 32},
    {"hidden-pair", 34},
    {"naked-triplet", 36},
    {"swordfish", 38},
    {"hidden-triplet", 40},
    {"xy-wing", 42},
    {"xyz-wing", 44},
    {"unique-rectangle-1", 45},
    {"unique-rectangle-2", 45},
    {"unique-rectangle-3", 45},
    {"unique-rectangle-4", 45},
    {"unique-loop-1", 46},
    {"unique-loop-2", 46},
    {"unique-loop-3", 46},
    {"unique-loop-4", 46},
    {"naked-quad", 50},
    {"jellyfish", 52},
    {"hidden-quad", 54},
    {"bug-1", 56},
    {"bug-2", 57},
    {"bug-3", 58},
    {"bug-4", 57},
    {"aligned-pair-exclusion", 62},
    {"x-cycle", 65},
    {"y-cycle", 65},
    {"forcing-x-chain", 66},
    {"xy-cycle", 70},
    {"forcing-chain", 70},
    {"aligned-triplet-exclusion", 75},
    {"nishio", 75},
    {"cell-forcing-chains", 80},
    {"region-forcing-chains", 80},
    {"dynamic-cell-forcing-chains", 85},
    {"dynamic-region-forcing-chains", 85},
    {"dynamic-contradiction-forcing-chains", 85},
    {"dynamic-double-forcing-chains", 85},
    {"dynamic-cell-forcing-chains-plus", 90},
    {"dynamic-region-forcing-chains-plus", 90},
    {"dynamic-contradiction-forcing-chains-plus", 90},
    {"dynamic-double-forcing-chains-plus", 90},
    {"nested-forcing-cell-chains", 95},
    {"nested-forcing-region-chains", 95},
    {"nested-forcing-contradiction-chains", 95},
    {"nested-forcing-double-chains", 95},
    {"nested-multiple-cell-chains", 100},
    {"nested-multiple-region-chains", 100},
    {"nested-multiple-contradiction-chains", 100},
    {"nested-multiple-double-chains", 100},
    {"nested-dynamic-cell-chains", 105},
    {"nested-dynamic-region-chains", 105},
    {"nested-dynamic-contradiction-chains", 105},
    {"nested-dynamic-double-chains", 105},
    {"nested-dynamic-plus-cell-chains", 110},
    {"nested-dynamic-plus-region-chains", 110},
    {"nested-dynamic-plus-contradiction-chains", 110},
    {"nested-dynamic-plus-double-chains", 110},
}};

constexpr const Entry& entry_of(Technique technique) { return kEntries[static_cast<std::size_t>(technique)]; }

static_assert(entry_of(Technique::aligned_triplet_exclusion).code == "aligned-triplet-exclusion");
static_assert(!kEntries.back().code.empty());

} // namespace

std::string_view code_of(Technique technique) { return entry_of(technique).code; }

Tenths least_rating_of(Technique technique) { return entry_of(technique).least; }

} // namespace sudokumill::explainer
