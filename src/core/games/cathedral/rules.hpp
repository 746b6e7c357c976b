// Cathedral on bit sets, one game at a time.
//
// placements.hpp finds where pieces fit. Territory is one flood fill per player.
#pragma once

#include "game.hpp"
#include "games/cathedral/placements.hpp"
#include "squares.hpp"

namespace boardwright {

enum class CathedralReason : std::int8_t { kNone, kFewerLeft, kEqualLeft };

class Cathedral {
  public:
    static constexpr int kBuildings = 14, kCathedral = CathedralPlacements::kCathedral;
    static constexpr std::int16_t kInHand = -1;
    static constexpr std::int16_t kToBePlaced = -1, kGone = -2;  // of the cathedral
    static constexpr Role kLight = 0, kDark = 1;

    struct State {
        std::array<Squares, 2> built;        // cells of each role's buildings
        std::array<Squares, 2> territory;
        Squares cathedral_cells;
        std::uint64_t hash = 0;
        std::array<std::array<std::int16_t, kBuildings>, 2> where;  // action of each building, or kInHand
        std::int16_t cathedral = kToBePlaced;                        // its action
        std::array<std::uint16_t, 2> hand{0x3FFF, 0x3FFF};           // buildings not on the board
        std::array<std::uint8_t, 2> placed{};                        // placements so far, at most 2
        Action action = kNoAction;
        std::uint32_t plies = 0;
        Role to_move = kLight;
        Role first_role = kLight;            // who places the cathedral
        Result result = Result::kOngoing;
        std::int8_t reason = 0;              // CathedralReason
        std::array<float, 2> rewards{};      // of the action that led here, by role
        static constexpr bool continues = false;
    };

    explicit Cathedral(const CathedralTables& tables) : rules_(tables), placements_(tables) {}

    const CathedralTables& rules() const { return rules_; }
    int actions() const { return static_cast<int>(rules_.piece.size()); }
    int size() const { return rules_.size; }

    State start() const {
        State state;
        for (auto& side : state.where) side.fill(kInHand);
        state.to_move = rules_.first == 0 ? kLight : kChance;
        state.hash = full_hash(state);
        return state;
    }

    // A position from its parts, without a past.
    State make(const std::array<std::array<std::int16_t, kBuildings>, 2>& where, int cathedral,
               std::array<int, 2> placed, Role to_move, Role first_role, int plies) const {
        State state;
        state.where = where;
        state.cathedral = static_cast<std::int16_t>(cathedral);
        if (cathedral >= 0) state.cathedral_cells = placements_.cells(0, cathedral);
        for (int role = 0; role < 2; ++role) {
            for (int piece = 0; piece < kBuildings; ++piece) {
                if (where[role][piece] == kInHand) continue;
                state.built[role] |= placements_.cells(role, where[role][piece]);
                state.hand[role] &= static_cast<std::uint16_t>(~(1u << piece));
            }
            state.placed[role] = static_cast<std::uint8_t>(std::min(placed[role], 2));
        }
        state.to_move = to_move;
        state.first_role = first_role;
        state.plies = static_cast<std::uint32_t>(plies);
        for (Role role : {kLight, kDark}) state.territory[role] = territory_of(state, role);
        if (state.cathedral != kToBePlaced && to_move != kChance) {
            if (!can_move(state, kLight) && !can_move(state, kDark)) finish(state);
        }
        state.hash = full_hash(state);
        return state;
    }

    State next(std::span<const State> line, Action action) const {
        State state = line.back();
        state.action = action;
        state.rewards = {};
        state.hash ^= role_key(state.to_move);
        if (awaits_coin(state)) {
            state.first_role = action == 0 ? kLight : kDark;
            if (state.first_role == kDark) state.hash ^= rules_.first_role_key;
            state.to_move = state.first_role;
        } else if (state.cathedral == kToBePlaced) {
            state.cathedral = static_cast<std::int16_t>(action);
            state.cathedral_cells = placements_.cells(0, action);
            state.hash ^= rules_.placement_key[0][action];
            ++state.plies;
            state.to_move = static_cast<Role>(1 - state.first_role);
        } else {
            build(state, action);
            ++state.plies;
        }
        state.hash ^= role_key(state.to_move);
        return state;
    }

    int count_actions(const State& state) const {
        if (awaits_coin(state)) return 2;
        int count = 0;
        each_pattern(state, [&](const Pattern&, Squares anchors, unsigned pieces) {
            count += anchors.count() * std::popcount(pieces);
            return false;
        });
        return count;
    }

    int count_moves(const State& state) const { return count_actions(state); }
    int count_distinct_moves(const State& state) const { return count_actions(state); }

    Action nth_action(const State& state, int n) const {
        if (awaits_coin(state)) return n;
        Action found = kNoAction;
        each_pattern(state, [&](const Pattern& pattern, Squares anchors, unsigned pieces) {
            const int here = anchors.count();
            for (; pieces; pieces &= pieces - 1) {
                if (n < here) {
                    found = pattern.action_at(std::countr_zero(pieces), anchors.nth(n));
                    return true;
                }
                n -= here;
            }
            return false;
        });
        return found;
    }

    template <class Visit>
    void each_action(const State& state, Visit&& visit) const {
        if (awaits_coin(state)) {
            visit(Action{0});
            visit(Action{1});
            return;
        }
        each_pattern(state, [&](const Pattern& pattern, Squares anchors, unsigned pieces) {
            for (; pieces; pieces &= pieces - 1) {
                for (Squares left = anchors; left.any();) {
                    visit(pattern.action_at(std::countr_zero(pieces), left.take_first()));
                }
            }
            return false;
        });
    }

    bool is_legal(const State& state, Action action) const {
        if (action < 0 || action >= actions() || state.result != Result::kOngoing) return false;
        if (awaits_coin(state)) return action < 2;
        const int piece = rules_.piece[action];
        if (state.cathedral == kToBePlaced) return piece == kCathedral;
        if (piece == kCathedral || !((state.hand[state.to_move] >> piece) & 1)) return false;
        return (placements_.cells(state.to_move, action) & ~free_cells(state, state.to_move)).none();
    }

    std::array<std::size_t, 3> observation_shape() const {
        const auto n = static_cast<std::size_t>(size());
        return {n, n, rules_.full_observation ? 39u : 5u};
    }

    // Planes as features.py names them.
    void observe(std::span<const State> line, Role role, float* planes) const {
        const State& state = line.back();
        const auto depth = observation_shape()[2];
        std::fill(planes, planes + size() * size() * depth, 0.0f);
        const auto mark = [&](std::size_t plane, Squares cells) {
            while (cells.any()) planes[placements_.number(cells.take_first()) * depth + plane] = 1.0f;
        };
        const auto fill = [&](std::size_t plane, bool value) {
            if (value) mark(plane, placements_.board());
        };
        const Role other = static_cast<Role>(1 - role);
        mark(0, state.built[role]);
        mark(1, state.built[other]);
        mark(2, state.cathedral_cells);
        mark(3, state.territory[role]);
        mark(4, state.territory[other]);
        if (!rules_.full_observation) return;
        const auto join = [&](Squares piece) {
            mark(5, piece & (piece >> 1));
            mark(6, piece & (piece >> placements_.stride()));
        };
        join(state.cathedral_cells);
        for (int side = 0; side < 2; ++side) {
            for (const std::int16_t action : state.where[side]) {
                if (action != kInHand) join(placements_.cells(side, action));
            }
        }
        for (int piece = 0; piece < kBuildings; ++piece) {
            fill(7 + piece, (state.hand[role] >> piece) & 1);
            fill(7 + kBuildings + piece, (state.hand[other] >> piece) & 1);
        }
        fill(35, state.cathedral != kGone);
        fill(36, role == kLight);
        fill(37, rules_.mirrored[role]);
        fill(38, rules_.mirrored[other]);
    }

    // Cells as numbers x * N + y, for the bindings.
    std::vector<int> cell_numbers(Squares cells) const {
        std::vector<int> numbers;
        while (cells.any()) numbers.push_back(placements_.number(cells.take_first()));
        return numbers;
    }

    // Further queries for searches and players.

    const CathedralPlacements& placements() const { return placements_; }

    // Where a role may build.
    Squares free_cells(const State& state, Role role) const {
        const Squares taken = state.built[0] | state.built[1] | state.cathedral_cells;
        return placements_.board() & ~(taken | state.territory[1 - role]);
    }

  private:
    using Pattern = CathedralPlacements::Pattern;

    std::uint64_t role_key(Role role) const { return rules_.role_key[role == kChance ? 2 : role]; }

    bool awaits_coin(const State& state) const { return rules_.first == 1 && state.to_move == kChance; }

    // Calls visit(pattern, anchors, pieces) for every orientation the side to move may place.
    template <class Visit>
    bool each_pattern(const State& state, Visit&& visit) const {
        if (state.cathedral == kToBePlaced) return placements_.walk(0, placements_.board(), 1u << kCathedral, visit);
        return placements_.walk(state.to_move, free_cells(state, state.to_move), state.hand[state.to_move], visit);
    }

    bool can_move(const State& state, Role role) const {
        return placements_.walk(role, free_cells(state, role), state.hand[role],
                                [](const Pattern&, Squares, unsigned) { return true; });
    }

    int largest_placeable(const State& state, Role role) const {
        int largest = 0;
        placements_.walk(role, free_cells(state, role), state.hand[role],
                         [&](const Pattern& pattern, Squares, unsigned) {
                             largest = std::max(largest, pattern.squares());
                             return false;
                         });
        return largest;
    }

    // Calls visit(area) for every 8-connected area that no building of `role` occupies and that is
    // small enough to be claimed; none while the role may not claim.
    template <class Visit>
    void each_area(const State& state, Role role, Visit&& visit) const {
        if (state.built[role].none()) return;
        if (state.placed[role] < 2 && !rules_.first_building_claims) return;
        const Squares open = placements_.board() & ~state.built[role];
        for (Squares left = open; left.any();) {
            Squares area = Squares::of(left.first()), before;
            do {
                before = area;
                const Squares row = area | (area << 1) | (area >> 1);
                area = (row | (row << placements_.stride()) | (row >> placements_.stride())) & open;
            } while (area != before);
            left &= ~area;
            if (area.count() <= rules_.claim_cap) visit(area);
        }
    }

    // Areas without a foreign piece. An area with one is not claimed from the board alone: only the mover captures
    // that piece, which then leaves the board.
    Squares territory_of(const State& state, Role role) const {
        const Squares foreign = state.built[1 - role] | state.cathedral_cells;
        Squares territory;
        each_area(state, role, [&](Squares area) {
            if ((area & foreign).none()) territory |= area;
        });
        return territory;
    }

    void build(State& state, Action action) const {
        const Role mover = state.to_move, other = static_cast<Role>(1 - mover);
        const int piece = rules_.piece[action];
        const int largest = rules_.shaped ? largest_placeable(state, mover) : 0;
        const Squares before = state.territory[mover];
        state.where[mover][piece] = static_cast<std::int16_t>(action);
        state.built[mover] |= placements_.cells(mover, action);
        state.hand[mover] ^= static_cast<std::uint16_t>(1u << piece);
        state.hash ^= rules_.placement_key[mover][action];
        if (state.placed[mover] < 2 && ++state.placed[mover] == 2) state.hash ^= rules_.claims_key[mover];

        const int captured = capture(state, mover);
        for (Role role : {kLight, kDark}) state.territory[role] = territory_of(state, role);
        if (rules_.shaped) {
            const int gained = (state.territory[mover] & ~before).count();
            state.rewards[mover] = static_cast<float>(gained + rules_.piece_size[piece] - largest + captured);
            state.rewards[other] = static_cast<float>(-captured);
        }
        state.to_move = other;
        if (!can_move(state, other)) {
            if (can_move(state, mover)) {
                state.to_move = mover;
            } else {
                finish(state);
                const float prize = rules_.shaped ? 10.0f : 1.0f;
                for (int role = 0; role < 2; ++role) {
                    if (state.result == win_for(role)) {
                        state.rewards[role] += prize;
                        state.rewards[1 - role] -= prize;
                    }
                }
            }
        }
    }

    // Removes every foreign piece that is alone in an area of the mover. Returns the squares of the buildings that
    // the other player has lost; the cathedral does not count.
    int capture(State& state, Role mover) const {
        const Role other = static_cast<Role>(1 - mover);
        int squares = 0;
        std::vector<Squares> areas;
        each_area(state, mover, [&](Squares area) { areas.push_back(area); });
        for (const Squares area : areas) {
            const bool holds_cathedral = (area & state.cathedral_cells).any();
            int found = holds_cathedral, victim = -1;
            if ((area & state.built[other]).any()) {
                for (int piece = 0; piece < kBuildings && found < 2; ++piece) {
                    const std::int16_t at = state.where[other][piece];
                    if (at == kInHand || (placements_.cells(other, at) & area).none()) continue;
                    ++found;
                    victim = piece;
                }
            }
            if (found != 1) continue;
            if (holds_cathedral) {
                state.hash ^= rules_.placement_key[0][state.cathedral] ^ rules_.cathedral_gone_key;
                state.cathedral = kGone;
                state.cathedral_cells = Squares();
            } else {
                const std::int16_t at = state.where[other][victim];
                state.hash ^= rules_.placement_key[other][at];
                state.built[other] &= ~placements_.cells(other, at);
                state.where[other][victim] = kInHand;
                state.hand[other] |= static_cast<std::uint16_t>(1u << victim);
                squares += rules_.piece_size[victim];
            }
        }
        return squares;
    }

    void finish(State& state) const {
        std::array<int, 2> left{};
        for (int role = 0; role < 2; ++role) {
            for (int piece = 0; piece < kBuildings; ++piece) {
                if ((state.hand[role] >> piece) & 1) left[role] += rules_.piece_size[piece];
            }
        }
        const bool equal = left[0] == left[1];
        state.result = equal ? Result::kDraw : win_for(left[0] < left[1] ? kLight : kDark);
        state.reason = static_cast<std::int8_t>(equal ? CathedralReason::kEqualLeft : CathedralReason::kFewerLeft);
    }

    std::uint64_t full_hash(const State& state) const {
        std::uint64_t hash = role_key(state.to_move);
        for (int role = 0; role < 2; ++role) {
            for (const std::int16_t at : state.where[role]) {
                if (at != kInHand) hash ^= rules_.placement_key[role][at];
            }
            if (state.placed[role] >= 2) hash ^= rules_.claims_key[role];
        }
        if (state.cathedral >= 0) hash ^= rules_.placement_key[0][state.cathedral];
        if (state.cathedral == kGone) hash ^= rules_.cathedral_gone_key;
        if (state.first_role == kDark) hash ^= rules_.first_role_key;
        return hash;
    }

    CathedralTables rules_;
    CathedralPlacements placements_;
};

static_assert(Game<Cathedral>);

}  // namespace boardwright
