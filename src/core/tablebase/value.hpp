// Endgame tables of English draughts: the value of a position, and how moves decide it.
//
// A value is the number of plies, whole moves, until the loser is to move and has no move. Odd: the mover
// wins; even: the mover loses. Draws by inactivity and by repetition are ignored: a win may be longer than
// the rules of a match allow.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "tablebase/index.hpp"

namespace boardwright::draughts {

using Value = std::uint8_t;
constexpr Value kDrawn = 255;
constexpr Value kGap = 254;  // a number without a position
constexpr int kLongest = 253;

enum class Outcome : std::uint8_t { kLoss = 0, kDraw = 1, kWin = 2 };

constexpr bool is_win(Value value) { return value < kGap && value % 2 == 1; }
constexpr bool is_loss(Value value) { return value < kGap && value % 2 == 0; }
constexpr Outcome outcome(Value value) {
    return is_win(value) ? Outcome::kWin : is_loss(value) ? Outcome::kLoss : Outcome::kDraw;
}

// The best of the moves added so far: a win in the fewest plies, else a draw, else the longest loss.
class BestMove {
  public:
    // `after` is the value of the position after the move to the enemy, who moves there.
    void add(Value after) {
        if (after == kDrawn) {
            draw_ = true;
        } else if (is_loss(after)) {
            win_ = std::min(win_, after + 1);
        } else {
            loss_ = std::max(loss_, after + 1);
        }
    }

    bool wins() const { return win_ < kNone; }
    bool saves() const { return wins() || draw_; }
    int longest_loss() const { return loss_; }  // 0 when no move loses

    // Without a move the mover has lost.
    Value value() const {
        const int plies = wins() ? win_ : draw_ ? int{kDrawn} : loss_;
        if (plies > kLongest && plies != kDrawn) throw std::length_error("a win of more plies than a byte holds");
        return static_cast<Value>(plies);
    }

  private:
    static constexpr int kNone = 1 << 20;
    int win_ = kNone, loss_ = 0;
    bool draw_ = false;
};

// Calls visit(board after) for every complete capture of the mover, role 0.
template <class Visit>
void each_capture_of_mover(const Board& board, const Origins& jumps, Visit&& visit) {
    for (Bits from = jumps.all(); from; from &= from - 1) {
        each_capture(board, 0, from & -from, [&](const Board& after, Bits) { visit(after); });
    }
}

// The value of any position with the mover as role 0. `stored(board)` returns that of a position in which
// the mover cannot capture and both sides have pieces: only those are stored, captures are searched.
template <class Stored>
Value value_by_search(const Board& board, Stored&& stored) {
    if (board.pieces[0] == 0) return 0;
    if (board.pieces[1] == 0) return 1;  // any move, and the enemy has none
    const Origins moves = origins(board, 0);
    if (!moves.any()) return 0;
    if (!moves.jumps) return stored(board);
    BestMove best;
    each_capture_of_mover(board, moves, [&](const Board& after) { best.add(value_by_search(turned(after), stored)); });
    return best.value();
}

}  // namespace boardwright::draughts
