// Writes the first N finals of one template, digit by digit through a stream: what the benchmark
// finals_to_text.py measures against. Usage: finals_to_text N FILE

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: finals_to_text N FILE\n";
        return 2;
    }
    const long count = std::atol(argv[1]);
    std::ofstream file(argv[2], std::ios::binary);

    // Row k of the template is the first row turned left by turns[k]; digits 2 .. 9 are exchanged in all
    // orders, and rows 2-3, 4-6, 7-9 are put in all orders, the last ones fastest.
    const std::array<int, 9> turns{0, 3, 6, 1, 4, 7, 2, 5, 8};
    std::array<int, 9> digits{1, 2, 3, 4, 5, 6, 7, 8, 9};
    long written = 0;
    do {
        std::array<int, 2> second{1, 2};
        do {
            std::array<int, 3> middle{3, 4, 5};
            do {
                std::array<int, 3> lowest{6, 7, 8};
                do {
                    const std::array<int, 9> rows{0,         second[0], second[1], middle[0], middle[1],
                                                  middle[2], lowest[0], lowest[1], lowest[2]};
                    for (const int row : rows) {
                        for (int column = 0; column < 9; ++column) {
                            file << digits[(turns[row] + column) % 9];
                            file << (column < 8 ? ' ' : '\n');
                        }
                    }
                    file << '\n';
                    if (++written == count) {
                        return file.flush() ? 0 : 1;
                    }
                } while (std::next_permutation(lowest.begin(), lowest.end()));
            } while (std::next_permutation(middle.begin(), middle.end()));
        } while (std::next_permutation(second.begin(), second.end()));
    } while (std::next_permutation(digits.begin() + 1, digits.end()));
    std::cerr << "there are only " << written << " finals\n";
    return 1;
}
