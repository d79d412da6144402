// Another engine, to measure beside: a shared library that is called as tdoku is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "grid.hpp"

namespace sudokumill {

/// A library with these functions, found by their names:
///
///     size_t TdokuEnumerate(const char* puzzle, size_t limit, void (*found)(const char*, void*), void* argument)
///     size_t TdokuSolverDpllTriadSimd(const char* puzzle, size_t limit, uint32_t configuration, char* solution,
///                                     size_t* guesses)
///
/// Both take 81 characters, '.' for a blank, and count solutions up to the limit; the second writes one if the
/// limit is 1.
class Peer {
  public:
    /// Throws std::runtime_error if the library or one of the functions is not there.
    explicit Peer(const std::string& path);

    /// Counts up to two solutions of each row, and writes the first.
    void solve(const std::uint8_t* puzzles, std::size_t rows, std::int64_t* counts, std::uint8_t* solutions) const;

    /// Digs each final to a minimal puzzle, in an order drawn by its seed: 44 cells at once, where that leaves one
    /// solution, and the others one by one.
    void dig(const std::uint8_t* finals, const std::uint64_t* seeds, std::size_t rows,
             std::uint8_t* puzzles) const;

    /// Makes finals by solving eleven clues at random. (They are far from uniform.)
    void make_finals(const std::uint64_t* seeds, std::size_t rows, std::uint8_t* finals) const;

  private:
    using Found = void (*)(const char*, void*);
    using Enumerate = std::size_t (*)(const char*, std::size_t, Found, void*);
    using Solve = std::size_t (*)(const char*, std::size_t, std::uint32_t, char*, std::size_t*);

    Enumerate enumerate_;
    Solve solve_;
};

} // namespace sudokumill
