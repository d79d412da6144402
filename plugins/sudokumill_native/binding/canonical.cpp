#include "../kernel/canonical.hpp"

#include <cstddef>

#include "arrays.hpp"
#include "batches.hpp"
#include "module.hpp"

using namespace nanobind::literals;

namespace sudokumill {
namespace {

GridsOut canonical_forms(const GridsIn& grids, const GridsIn& solutions, int threads) {
    if (solutions.shape(0) != grids.shape(0)) {
        throw nb::value_error("there must be one solution a grid");
    }
    Buffer<std::uint8_t> forms(kCells * grids.shape(0));
    do_batch(grids.shape(0), threads, [&](std::size_t first, std::size_t rows, const StopCheck& stop_check) {
        for (std::size_t index = first; index < first + rows; ++index) {
            canonical_form(row_of_batch(grids, index), row_of_batch(solutions, index), forms.row(index));
            stop_check();
        }
    });
    return std::move(forms).as_grids();
}

} // namespace

void bind_canonical(nb::module_& module) {
    module.def("canonical_forms", &canonical_forms, "grids"_a.noconvert(), "solutions"_a.noconvert(),
               "threads"_a = 1);
}

} // namespace sudokumill
