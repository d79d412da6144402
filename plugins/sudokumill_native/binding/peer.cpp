#include "../kernel/peer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "module.hpp"

using namespace nanobind::literals;

namespace sudokumill {
namespace {

nb::tuple solve_by_peer(const Peer& peer, const GridsIn& puzzles) {
    const std::size_t rows = puzzles.shape(0);
    Buffer<std::int64_t> counts(rows);
    Buffer<std::uint8_t> solutions(kCells * rows);
    peer.solve(puzzles.data(), rows, counts.data(), solutions.data());
    return nb::make_tuple(std::move(counts).as_column(), std::move(solutions).as_grids());
}

GridsOut dig_by_peer(const Peer& peer, const GridsIn& finals, const SeedsIn& seeds) {
    if (seeds.shape(0) != finals.shape(0)) {
        throw nb::value_error("there must be one seed a final");
    }
    Buffer<std::uint8_t> puzzles(kCells * finals.shape(0));
    peer.dig(finals.data(), seeds.data(), finals.shape(0), puzzles.data());
    return std::move(puzzles).as_grids();
}

GridsOut make_finals_by_peer(const Peer& peer, const SeedsIn& seeds) {
    Buffer<std::uint8_t> finals(kCells * seeds.shape(0));
    peer.make_finals(seeds.data(), seeds.shape(0), finals.data());
    return std::move(finals).as_grids();
}

} // namespace

void bind_peer(nb::module_& module) {
    nb::class_<Peer>(module, "Peer")
        .def(nb::init<const std::string&>(), "path"_a)
        .def("solve", &solve_by_peer, "puzzles"_a.noconvert())
        .def("dig", &dig_by_peer, "finals"_a.noconvert(), "seeds"_a.noconvert())
        .def("make_finals", &make_finals_by_peer, "seeds"_a.noconvert());
}

} // namespace sudokumill
