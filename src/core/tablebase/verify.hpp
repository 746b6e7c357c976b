// Endgame tables of English draughts: a proof that finished tables are right.
//
// A table is right if every value follows from the values after the position's moves: then, by induction on
// the distance, no win, loss or draw can be another. The check plays forward only, move by move and hop by
// hop, and shares with the builder only the steps and jumps of the board.
#pragma once

#include "tablebase/tables.hpp"

namespace boardwright::draughts {

struct Verification {
    std::uint64_t positions = 0;
    std::uint64_t wrong_values = 0;
    int wrong_counts = 0;  // slices whose file has other numbers of wins, draws and losses
};

// Checks every position up to a number of pieces. Throws what tick() throws.
Verification verify_tables(const Tablebase& tables, int pieces, int threads, const Tick& tick);

}  // namespace boardwright::draughts
