// Endgame tables of English draughts: material, and the numbering of its positions.
//
// A table knows no colours. Every position is seen by the side to move, which plays role 0 (its men go
// down the board); what White is to move in is turned half round with the colours swapped. A slice holds
// all positions of one material, numbered by the squares of the mover's men, the enemy's men, the
// mover's kings and the enemy's kings, from the slowest digit to the fastest. Men never stand on their
// crowning row, so each side's men have 28 squares; kings take the squares that are left. Numbers in
// which two men share a square are gaps: they belong to no position.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "draughts_board.hpp"

namespace boardwright::draughts {

constexpr int kMostPieces = 6;     // of both sides: what the numbering and the byte a position allow
constexpr int kSquaresForMen = 28;

constexpr Bits turned(Bits squares) {
    squares = ((squares >> 1) & 0x55555555) | ((squares & 0x55555555) << 1);
    squares = ((squares >> 2) & 0x33333333) | ((squares & 0x33333333) << 2);
    squares = ((squares >> 4) & 0x0F0F0F0F) | ((squares & 0x0F0F0F0F) << 4);
    squares = ((squares >> 8) & 0x00FF00FF) | ((squares & 0x00FF00FF) << 8);
    return (squares >> 16) | (squares << 16);
}

// The same position with the sides exchanged: the board turned half round, the colours swapped.
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

    // A small number of its own for every material, to look tables up by.
    static constexpr int kCodes = (kMostPieces + 1) * (kMostPieces + 1) * (kMostPieces + 1) * (kMostPieces + 1);
    constexpr int code() const {
        return ((men[0] * (kMostPieces + 1) + kings[0]) * (kMostPieces + 1) + men[1]) * (kMostPieces + 1) + kings[1];
    }

    // Such as KKM-KM: the mover's pieces, then the enemy's.
    std::string name() const {
        return std::string(kings[0], 'K') + std::string(men[0], 'M') + '-' + std::string(kings[1], 'K') +
               std::string(men[1], 'M');
    }
};

// The materials with this many pieces in an order in which they can be solved: a man that is crowned
// leads to a material with fewer men, a capture to one with fewer pieces. Moves that do neither lead from
// a material to its turned self and back, so both are solved together; only the one with more pieces, or
// as many and more kings, is listed.
inline std::vector<Material> materials_in_order(int pieces) {
    std::vector<Material> order;
    for (int men = 0; men <= pieces; ++men) {
        for (int strong = pieces - 1; strong >= pieces - strong; --strong) {
            const int weak = pieces - strong;
            for (int strong_men = std::max(0, men - weak); strong_men <= std::min(men, strong); ++strong_men) {
                const int weak_men = men - strong_men;
                const Material material{{strong_men, weak_men}, {strong - strong_men, weak - weak_men}};
                if (strong == weak && material.kings[0] < material.kings[1]) continue;
                order.push_back(material);
            }
        }
    }
    return order;
}

// Sets of k squares out of 32, in the order of their greatest square, then the next (colexicographic):
// sets that lie within the first n squares come before all others, whatever n is.
class SquareSets {
  public:
    static const SquareSets& instance() {
        static const SquareSets sets;
        return sets;
    }

    std::uint32_t count(int squares, int k) const { return choose_[squares][k]; }
    Bits set(int k, std::uint32_t number) const { return sets_[k][number]; }

    // The number of a set, its members counted among the squares that are not taken.
    std::uint32_t number(Bits set, Bits taken) const {
        std::uint32_t number = 0;
        for (int i = 1; set; ++i, set &= set - 1) {
            const Bits below = (set & -set) - 1;
            number += choose_[std::popcount(below & ~taken)][i];
        }
        return number;
    }

    // The number of the set turned half round.
    std::uint32_t number_turned(Bits set) const {
        std::uint32_t number = 0;
        for (int i = 1; set; ++i) {
            const int square = std::countl_zero(set);
            number += choose_[square][i];
            set ^= Bits{0x80000000} >> square;
        }
        return number;
    }

    // The set with a number, counted among the squares that are not taken.
    Bits among_free(int k, std::uint32_t number, Bits taken) const {
        Bits free_set = 0;
        for (Bits left = sets_[k][number]; left; left &= left - 1) {
            Bits bit = left & -left;
            for (Bits others = taken; others; others &= others - 1) {
                if ((others & -others) <= bit) bit <<= 1;
            }
            free_set |= bit;
        }
        return free_set;
    }

  private:
    SquareSets() {
        for (int n = 0; n <= 32; ++n) {
            choose_[n][0] = 1;
            for (int k = 1; n > 0 && k <= kMostPieces; ++k) choose_[n][k] = choose_[n - 1][k - 1] + choose_[n - 1][k];
        }
        sets_[0] = {0};
        for (int k = 1; k < kMostPieces; ++k) {
            // Sets of k with greatest square s are the sets of k - 1 below s, each with s added.
            for (int s = k - 1; s < 32; ++s) {
                for (std::uint32_t i = 0; i < choose_[s][k - 1]; ++i) {
                    sets_[k].push_back(sets_[k - 1][i] | Bits{1} << s);
                }
            }
        }
    }

    std::array<std::array<std::uint32_t, kMostPieces + 1>, 33> choose_{};
    std::array<std::vector<Bits>, kMostPieces> sets_;
};

// Positions of one material, to numbers and back.
class SliceIndex {
  public:
    explicit SliceIndex(const Material& material) : material_(material) {
        const int men = material.men[0] + material.men[1];
        digits_ = {sets().count(kSquaresForMen, material.men[0]), sets().count(kSquaresForMen, material.men[1]),
                   sets().count(32 - men, material.kings[0]),
                   sets().count(32 - men - material.kings[0], material.kings[1])};
    }

    const Material& material() const { return material_; }
    std::uint64_t size() const { return std::uint64_t{digits_[0]} * digits_[1] * digits_[2] * digits_[3]; }

    // How far apart two numbers are whose boards differ in all but the fastest digit that has values.
    std::uint64_t row() const {
        for (int i = 3; i > 0; --i) {
            if (digits_[i] > 1) return digits_[i];
        }
        return digits_[0];
    }

    std::uint64_t number(const Board& board) const {
        const Bits men = board.occupied() & ~board.kings;
        std::uint64_t number = sets().number(board.men(0), 0);
        number = number * digits_[1] + sets().number_turned(board.men(1));
        number = number * digits_[2] + sets().number(board.kings_of(0), men);
        return number * digits_[3] + sets().number(board.kings_of(1), men | board.kings_of(0));
    }

    // The board with a number, which must not be a gap.
    Board board(std::uint64_t number) const {
        const auto enemy_kings = static_cast<std::uint32_t>(number % digits_[3]);
        number /= digits_[3];
        const auto kings = static_cast<std::uint32_t>(number % digits_[2]);
        number /= digits_[2];
        const auto enemy_men = static_cast<std::uint32_t>(number % digits_[1]);
        Board board = men(static_cast<std::uint32_t>(number / digits_[1]), enemy_men);
        place_kings(board, kings, enemy_kings);
        return board;
    }

  private:
    friend class SliceWalk;

    const SquareSets& sets() const { return *sets_; }

    Board men(std::uint32_t own, std::uint32_t enemy) const {
        return {{sets().set(material_.men[0], own), turned(sets().set(material_.men[1], enemy))}, 0};
    }

    void place_kings(Board& board, std::uint32_t own, std::uint32_t enemy) const {
        const Bits kings = sets().among_free(material_.kings[0], own, board.occupied());
        board.pieces[0] |= kings;
        const Bits enemy_kings = sets().among_free(material_.kings[1], enemy, board.occupied());
        board.pieces[1] |= enemy_kings;
        board.kings = kings | enemy_kings;
    }

    Material material_;
    const SquareSets* sets_ = &SquareSets::instance();
    std::array<std::uint32_t, 4> digits_;  // how many values each has
};

// Goes through the numbers of a slice one by one: cheaper than finding each board from its number.
class SliceWalk {
  public:
    SliceWalk(const SliceIndex& slice, std::uint64_t first) : slice_(&slice) {
        for (int i = 3; i >= 0; --i) {
            digit_[i] = static_cast<std::uint32_t>(first % slice.digits_[i]);
            first /= slice.digits_[i];
        }
        place_men();
    }

    bool at_gap() const { return gap_; }
    const Board& board() const { return board_; }

    void advance() {
        if (++digit_[3] < slice_->digits_[3]) return place_enemy_kings();
        digit_[3] = 0;
        if (++digit_[2] < slice_->digits_[2]) return place_kings();
        digit_[2] = 0;
        if (++digit_[1] == slice_->digits_[1]) {
            digit_[1] = 0;
            if (++digit_[0] == slice_->digits_[0]) digit_[0] = 0;
        }
        place_men();
    }

  private:
    void place_men() {
        men_ = slice_->men(digit_[0], digit_[1]);
        gap_ = (men_.pieces[0] & men_.pieces[1]) != 0;
        place_kings();
    }

    void place_kings() {
        if (gap_) return;
        kings_ = slice_->sets().among_free(slice_->material().kings[0], digit_[2], men_.occupied());
        place_enemy_kings();
    }

    void place_enemy_kings() {
        if (gap_) return;
        const Bits taken = men_.occupied() | kings_;
        const Bits enemy_kings = slice_->sets().among_free(slice_->material().kings[1], digit_[3], taken);
        board_ = {{men_.pieces[0] | kings_, men_.pieces[1] | enemy_kings}, kings_ | enemy_kings};
    }

    const SliceIndex* slice_;
    std::array<std::uint32_t, 4> digit_{};
    Board men_, board_;
    Bits kings_ = 0;
    bool gap_ = false;
};

}  // namespace boardwright::draughts
