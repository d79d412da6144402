// Arrays of numpy: those that a batch comes in, and those that it is given back in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "../kernel/grid.hpp"

namespace sudokumill {

namespace nb = nanobind;

using GridsIn = nb::ndarray<const std::uint8_t, nb::shape<-1, kCells>, nb::c_contig, nb::device::cpu>;
using SeedsIn = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CellsIn = nb::ndarray<const std::uint8_t, nb::shape<kCells>, nb::c_contig, nb::device::cpu>;
using GridIn = nb::ndarray<const std::uint8_t, nb::shape<kCells>, nb::c_contig, nb::device::cpu>;
template <typename T, std::size_t width>
using RowsOut = nb::ndarray<nb::numpy, T, nb::shape<-1, static_cast<nb::ssize_t>(width)>>;
using GridsOut = RowsOut<std::uint8_t, kCells>;
template <typename T> using ColumnOut = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// Memory that a batch is written to, and that numpy takes over.
template <typename T> class Buffer {
  public:
    explicit Buffer(std::size_t size) : items_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

    T& operator[](std::size_t index) { return items_[index]; }
    T* data() { return items_.get(); }

    /// The 81 items of one row.
    std::span<T, kCells> row(std::size_t index) {
        return std::span<T, kCells>(items_.get() + kCells * index, kCells);
    }

    ColumnOut<T> as_column() && {
        const std::size_t size = size_;
        auto [items, owner] = std::move(*this).release();
        return ColumnOut<T>(items, {size}, owner);
    }

    /// Rows of so many items.
    template <std::size_t width> RowsOut<T, width> as_rows() && {
        const std::size_t rows = size_ / width;
        auto [items, owner] = std::move(*this).release();
        return RowsOut<T, width>(items, {rows, width}, owner);
    }

    GridsOut as_grids() && { return std::move(*this).template as_rows<kCells>(); }

  private:
    std::pair<T*, nb::capsule> release() && {
        T* items = items_.get();
        nb::capsule owner(items, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
        items_.release();
        return {items, std::move(owner)};
    }

    std::unique_ptr<T[]> items_;
    std::size_t size_;
};

inline GridView row_of_batch(const GridsIn& grids, std::size_t index) {
    return GridView(grids.data() + kCells * index, kCells);
}

} // namespace sudokumill
