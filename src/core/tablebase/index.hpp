// Endgame tables of English draughts: material, and the numbering of its positions.
//
// A table knows no colours. Every position is seen by the side to move, which plays role 0 (its men move
// down the board); a position with White to move is turned by 180 degrees with the colours swapped. A slice
// holds all positions of one material, numbered by the squares of the mover's men, the enemy's men, the
// mover's kings and the enemy's kings, from the slowest digit to the fastest. Men are never on their
// crowning row, so each side's men have 28 squares; kings use the remaining squares. Numbers in which two
// men share a square are gaps: they belong to no position.
#pragma once

#include <cassert>
#include <string>
#include <vector>

#include "games/draughts/board.hpp"

namespace boardwright::draughts {

constexpr int kMaxPieces = 6;  // of both sides: the limit of the numbering and of one byte per position
constexpr int kSquaresForMen = 28;

constexpr Bits turned(Bits squares) {
    squares = ((squares >> 1) & 0x55555555) | ((squares & 0x55555555) << 1);
    squares = ((squares >> 2) & 0x33333333) | ((squares & 0x33333333) << 2);
    squares = ((squares >> 4) & 0x0F0F0F0F) | ((squares & 0x0F0F0F0F) << 4);
    squares = ((squares >> 8) & 0x00FF00FF) | ((squares & 0x00FF00FF) << 8);
    return (squares >> 16) | (squares << 16);
}

// The same position with the sides exchanged: the board turned by 180 degrees, the colours swapped.
constexpr Board turned(const Board& board) {
    return {{turned(board.pieces[1]), turned(board.pieces[0])}, turned(board.kings)};
}

// How many men and kings the mover (0) and the enemy (1) have.
struct Material {
    std::array<int, 2> men{};
    std::array<int, 2> kings{};

    static constexpr Material of(const Board& board) {
        return {{std::popcount(board.men(0)), std::popcount(board.men(1))},
                {std::popcount(board.kings_of(0)), std::popcount(board.kings_of(1))}};
    }

    constexpr int pieces(int side) const { return men[side] + kings[side]; }
    constexpr int pieces() const { return pieces(0) + pieces(1); }
    constexpr Material turned() const { return {{men[1], men[0]}, {kings[1], kings[0]}}; }
    constexpr bool operator==(const Material&) const = default;

    // A small number of its own for every material, to index arrays by.
    static constexpr int kBase = kMaxPieces + 1, kCodes = kBase * kBase * kBase * kBase;
    constexpr int code() const { return ((men[0] * kBase + kings[0]) * kBase + men[1]) * kBase + kings[1]; }

    std::string name() const;  // such as KKM-KM: the mover's pieces, then the enemy's
};

// The materials with this many pieces in an order in which they can be solved: a man that is crowned leads to a
// material with fewer men, a capture to one with fewer pieces. Moves that do neither lead from a material to its
// colour-swapped counterpart and back, so both are solved together; only the one with more pieces, or as many and more
// kings, is listed.
std::vector<Material> materials_in_order(int pieces);
// The same, each material followed by its colour-swapped counterpart where that is another.
std::vector<Material> slices_in_order(int pieces);

// Positions of one material, to numbers and back.
class SliceIndex {
  public:
    explicit SliceIndex(const Material& material);

    const Material& material() const { return material_; }
    std::uint64_t size() const { return std::uint64_t{digits_[0]} * digits_[1] * digits_[2] * digits_[3]; }
    // How far apart two numbers are whose boards differ in all but the fastest digit that has values.
    std::uint64_t row() const;
    std::uint64_t number(const Board& board) const;
    Board board(std::uint64_t number) const;  // the number must not be a gap

  private:
    friend class SliceWalk;

    Material material_;
    std::array<std::uint32_t, 4> digits_;  // how many values each has
};

// Visits the numbers of a slice in order: cheaper than computing each board from its number.
class SliceWalk {
  public:
    SliceWalk(const SliceIndex& slice, std::uint64_t first);

    bool at_gap() const { return gap_; }
    const Board& board() const { return board_; }
    void advance();

  private:
    void place_men();
    void place_kings();
    void place_enemy_kings();

    const SliceIndex* slice_;
    std::array<std::uint32_t, 4> digit_{};
    Board men_, board_;
    Bits kings_ = 0;
    bool gap_ = false;
};

}  // namespace boardwright::draughts
