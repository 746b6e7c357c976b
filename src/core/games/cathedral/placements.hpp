// Every placement of Cathedral as a bit set, and the search for those that fit.
//
// Cells are kept with two spare columns behind every row (bit x * (N + 2) + y), so that shifting a set
// never carries a cell round the edge: every orientation of a piece is found for the whole board at
// once by shifting the free cells together.
#pragma once

#include <algorithm>

#include "game.hpp"
#include "squares.hpp"

namespace boardwright {

// One rule set and one way to observe, from rules.py's `Tables`.
struct CathedralTables {
    int size = 10;
    int claim_cap = 100;
    bool first_building_claims = false;
    int first = 0;  // who places the cathedral: 0 light, 1 by coin, 2 chance
    bool shaped = false;
    bool full_observation = true;
    std::array<bool, 2> mirrored{};
    std::vector<int> piece;                                    // by action
    std::array<std::vector<std::vector<int>>, 2> cells;        // by role and action: cell numbers x * N + y
    std::array<int, 15> piece_size{};
    std::array<std::vector<std::uint64_t>, 2> placement_key;   // by owner and action
    std::array<std::uint64_t, 2> claims_key{};
    std::array<std::uint64_t, 3> role_key{};
    std::uint64_t cathedral_gone_key = 0;
    std::uint64_t first_role_key = 0;
};

class CathedralPlacements {
  public:
    static constexpr int kCathedral = 14;

    // One orientation of a shape: where its cells lie from the first of them, and what it places.
    struct Pattern {
        std::vector<int> offsets;                         // of the other cells, as shifts
        unsigned pieces = 0;                              // those that have this orientation
        std::array<std::array<std::int16_t, 128>, 2> action{};  // of the lower and the higher such piece
        int lower = 0;

        Action action_at(int piece, int anchor) const { return action[piece == lower ? 0 : 1][anchor]; }
        int squares() const { return static_cast<int>(offsets.size()) + 1; }
    };

    explicit CathedralPlacements(const CathedralTables& tables) : size_(tables.size), stride_(tables.size + 2) {
        for (int number = 0; number < size_ * size_; ++number) board_ |= Squares::of(bit(number));
        for (int role = 0; role < 2; ++role) {
            for (std::size_t action = 0; action < tables.piece.size(); ++action) {
                add(role, static_cast<Action>(action), tables.piece[action], tables.cells[role][action]);
            }
        }
    }

    Squares board() const { return board_; }
    int stride() const { return stride_; }
    Squares cells(int role, Action action) const { return masks_[role][action]; }

    // The number x * N + y of a cell.
    int number(int bit) const { return bit / stride_ * size_ + bit % stride_; }

    // Calls visit(pattern, anchors, pieces) for every orientation of a role's pieces in hand that fits
    // somewhere on the free cells; a visitor that returns true ends the walk, which then returns true.
    template <class Visit>
    bool walk(int role, Squares free, unsigned hand, Visit&& visit) const {
        for (const Pattern& pattern : patterns_[role]) {
            const unsigned pieces = pattern.pieces & hand;
            if (!pieces) continue;
            Squares anchors = free;
            for (const int offset : pattern.offsets) anchors &= free >> offset;
            if (anchors.any() && visit(pattern, anchors, pieces)) return true;
        }
        return false;
    }

  private:
    int bit(int number) const { return number / size_ * stride_ + number % size_; }

    void add(int role, Action action, int piece, const std::vector<int>& numbers) {
        std::vector<int> bits;
        Squares mask;
        for (const int number : numbers) {
            bits.push_back(bit(number));
            mask |= Squares::of(bits.back());
        }
        masks_[role].push_back(mask);
        std::sort(bits.begin(), bits.end());
        const int anchor = bits.front();
        std::vector<int> offsets;
        for (std::size_t i = 1; i < bits.size(); ++i) offsets.push_back(bits[i] - anchor);
        auto& patterns = patterns_[role];
        auto found = std::find_if(patterns.begin(), patterns.end(), [&](const Pattern& p) {
            return p.offsets == offsets && (piece == kCathedral) == (p.lower == kCathedral);
        });
        if (found == patterns.end()) {
            found = patterns.insert(patterns.end(), Pattern{});
            found->offsets = offsets;
            found->lower = piece;
        }
        found->pieces |= 1u << piece;
        found->action[piece == found->lower ? 0 : 1][anchor] = static_cast<std::int16_t>(action);
    }

    int size_, stride_;
    Squares board_;
    std::array<std::vector<Squares>, 2> masks_;      // by role and action
    std::array<std::vector<Pattern>, 2> patterns_;   // by role
};

}  // namespace boardwright
