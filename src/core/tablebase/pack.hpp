// Endgame tables of English draughts: the outcome of every position in one array, two bits each.
//
// For a GPU, which can index an array but not decode and search. Slices follow one another, each starting at
// a word boundary, and captures are filled in.
#pragma once

#include "tablebase/tables.hpp"

namespace boardwright::draughts {

struct PackedOutcomes {
    static constexpr int kPerWord = 16;  // positions

    struct Slice {
        Material material;
        std::uint64_t first;  // number of its first position among those of all slices
    };

    std::vector<Slice> slices;
    std::size_t size = 0;  // words
    std::unique_ptr<std::uint32_t[]> words;
};

// Throws what tick() throws.
PackedOutcomes pack_outcomes(const Tablebase& tables, int threads, const Tick& tick);

}  // namespace boardwright::draughts
