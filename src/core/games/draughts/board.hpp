// The 32 dark squares of a draughts board as one machine word: steps, jumps, and who can make them.
//
// Square s (1 .. 32, rows of four, square 1 at the top) is bit s - 1. Directions are numbered
// 0 = up-left, 1 = up-right, 2 = down-left, 3 = down-right; the opposite of d is 3 - d. Black begins at
// the top and moves down; men go forward only, kings in all four directions, one step at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace boardwright::draughts {

using Bits = std::uint32_t;

constexpr int kBlack = 0, kWhite = 1;

// A set of squares moved one step in a direction; squares that would leave the board are dropped.
template <int Direction>
constexpr Bits step(Bits squares) {
    constexpr Bits even_rows = 0x0F0F0F0F;  // rows 0, 2, …: their columns are odd
    constexpr Bits odd_rows = 0xF0F0F0F0;
    constexpr Bits not_right_edge = 0x07070707;  // even rows without their last square
    constexpr Bits not_left_edge = 0xE0E0E0E0;   // odd rows without their first square
    if constexpr (Direction == 0) return ((squares & even_rows) >> 4) | ((squares & not_left_edge) >> 5);
    if constexpr (Direction == 1) return ((squares & not_right_edge) >> 3) | ((squares & odd_rows) >> 4);
    if constexpr (Direction == 2) return ((squares & even_rows) << 4) | ((squares & not_left_edge) << 3);
    if constexpr (Direction == 3) return ((squares & not_right_edge) << 5) | ((squares & odd_rows) << 4);
}

constexpr Bits step(Bits squares, int direction) {
    switch (direction) {
        case 0: return step<0>(squares);
        case 1: return step<1>(squares);
        case 2: return step<2>(squares);
        default: return step<3>(squares);
    }
}

constexpr bool is_forward(int role, int direction) { return (direction >= 2) == (role == kBlack); }
constexpr Bits crown_row(int role) { return role == kBlack ? 0xF0000000 : 0x0000000F; }

// Pieces on the board. `pieces[role]` holds men and kings, `kings` those of both sides.
struct Board {
    std::array<Bits, 2> pieces{};
    Bits kings = 0;

    constexpr Bits occupied() const { return pieces[0] | pieces[1]; }
    constexpr Bits empty() const { return ~occupied(); }
    constexpr Bits men(int role) const { return pieces[role] & ~kings; }
    constexpr Bits kings_of(int role) const { return pieces[role] & kings; }
    // Those of a role that may go in a direction at all.
    constexpr Bits able(int role, int direction) const {
        return is_forward(role, direction) ? pieces[role] : pieces[role] & kings;
    }
    constexpr bool operator==(const Board&) const = default;
};

// Pieces of `role` that can jump in a direction: an adjacent enemy, and an empty square beyond it.
template <int Direction>
constexpr Bits jumpers(const Board& board, int role) {
    constexpr int back = 3 - Direction;
    return step<back>(step<back>(board.empty()) & board.pieces[1 - role]) & board.able(role, Direction);
}

// Pieces of `role` that can step in a direction onto an empty square.
template <int Direction>
constexpr Bits steppers(const Board& board, int role) {
    return step<3 - Direction>(board.empty()) & board.able(role, Direction);
}

using ByDirection = std::array<Bits, 4>;

constexpr ByDirection all_jumpers(const Board& board, int role) {
    return {jumpers<0>(board, role), jumpers<1>(board, role), jumpers<2>(board, role), jumpers<3>(board, role)};
}
[[gnu::always_inline]] constexpr ByDirection all_steppers(const Board& board, int role) {
    return {steppers<0>(board, role), steppers<1>(board, role), steppers<2>(board, role), steppers<3>(board, role)};
}
constexpr Bits union_of(const ByDirection& sets) { return sets[0] | sets[1] | sets[2] | sets[3]; }
constexpr int total_of(const ByDirection& sets) {
    return std::popcount(sets[0]) + std::popcount(sets[1]) + std::popcount(sets[2]) + std::popcount(sets[3]);
}

// By direction, from where a role may move: jumps if there are any (they are forced), else steps.
struct Origins {
    ByDirection from{};
    bool jumps = false;

    constexpr Bits all() const { return union_of(from); }
    constexpr bool any() const { return all() != 0; }
    constexpr int count() const { return total_of(from); }
};

constexpr Origins origins(const Board& board, int role) {
    Origins found{all_jumpers(board, role), true};
    if (!found.any()) found = {all_steppers(board, role), false};
    return found;
}

// The square a piece has hopped to, and whether it was crowned there.
struct Landing {
    Bits to;
    bool crowned;
};

// Moves a piece one step or over one enemy, who leaves the board; crowns a man on the last row. Jumped pieces may leave
// at once although the rules remove them when the move ends: a jumper lands only on squares two rows and two columns
// apart, so it never reaches a square it has jumped over.
constexpr Landing hop(Board& board, int role, Bits from, int direction, bool jump) {
    Bits to = step(from, direction);
    if (jump) {
        board.pieces[1 - role] &= ~to;
        board.kings &= ~to;
        to = step(to, direction);
    }
    board.pieces[role] ^= from | to;
    if (board.kings & from) {
        board.kings ^= from | to;
        return {to, false};
    }
    const bool crowned = (to & crown_row(role)) != 0;
    if (crowned) board.kings |= to;
    return {to, crowned};
}

// Calls visit(board after, landing square) for every way a piece of `role` on `from` can complete a
// capture; two routes over the same pieces to the same square are two calls.
template <class Visit>
void each_capture(const Board& board, int role, Bits from, Visit&& visit) {
    const ByDirection able = all_jumpers(board, role);
    for (int direction = 0; direction < 4; ++direction) {
        if (!(able[direction] & from)) continue;
        Board after = board;
        const auto [to, crowned] = hop(after, role, from, direction, true);
        if (!crowned && (union_of(all_jumpers(after, role)) & to)) {
            each_capture(after, role, to, visit);
        } else {
            visit(after, to);
        }
    }
}

}  // namespace boardwright::draughts
