// Tablut and its 9x9 relatives on bit sets, one game at a time.
//
// A rule set arrives compiled into tables of squares (boardwright/games/tablut/rules.py), the same
// tables the batched engine is built from, so this file knows no rule set by name.
//
// Squares are row * 9 + column, row 0 at the top. Moves are found by sliding all men of a side one
// step at a time: the men that are still sliding after d steps in a direction are exactly the moves
// of that direction and distance, which is also how actions are numbered.
#pragma once

#include <algorithm>

#include "game.hpp"
#include "squares.hpp"

namespace boardwright {

enum TablutRole : Role { kAttackers = 0, kDefenders = 1 };
enum TablutPiece { kAttacker = 0, kDefender = 1, kKing = 2 };
enum class TablutReason : std::int8_t {
    kNone,
    kKingCaptured,
    kKingEscaped,
    kSurrounded,
    kRepetition,
    kNoMove,
    kQuietPlies,
    kPlyLimit
};

// One rule set, with the fields of `Tables` in rules.py.
struct TablutTables {
    std::array<Squares, 2> men;                     // at the start, by role
    int king = 0;                                   // at the start
    std::array<Squares, 3> stop;                    // where a piece may end its move
    std::array<std::array<Squares, 4>, 3> enter;    // squares it may slide onto, by direction
    std::array<Squares, 2> hostile;                 // empty squares that help to capture a role
    Squares escape;                                 // where the king wins
    Squares strong;                                 // where the king falls only to four
    Squares edge;                                   // squares that a surrounded side cannot reach
    int throne = 40;
    Role first = kAttackers;
    bool throne_hostile_under_king = false;         // to defenders
    bool king_armed = true;
    bool surround_loses = false;
    bool both_sides_need_moves = false;             // else only the side to move
    bool count_start = true;                        // the first position counts as an occurrence
    bool repetition_draws = false;                  // else the player who repeats loses
    int repetition_limit = 0;                       // occurrences that end the game; 0: none
    int max_quiet_plies = 0;                        // 0: no limit
    int max_plies = 0;                              // 0: no limit
    float quiet_scale = 1;                          // factors of the two counter planes
    float ply_scale = 1;
    std::array<std::array<std::uint64_t, 81>, 3> piece_key{};
    std::uint64_t defenders_to_move_key = 0;
};

class Tablut {
  public:
    static constexpr int kSize = 9;
    static constexpr int kSquares = 81;
    static constexpr int kActions = kSquares * 32;
    static constexpr int kHistory = 8;
    static constexpr int kPlanes = 5 * kHistory + 3;
    static constexpr std::int8_t kNoKing = -1;

    struct State {
        std::array<Squares, 2> men;  // taflmen by role, without the king
        std::uint64_t hash = 0;
        Action action = kNoAction;   // the move that led here
        std::uint32_t plies = 0;
        std::uint32_t quiet = 0;     // plies since the last capture
        std::int8_t king = kNoKing;  // his square, or kNoKing once captured
        Role to_move = kAttackers;
        Result result = Result::kOngoing;
        std::int8_t reason = 0;      // TablutReason
        std::int8_t seen = 0;        // earlier occurrences of this position in the line
        bool counted = true;         // whether it counts as an occurrence itself
        static constexpr bool continues = false;  // every action is a whole move
    };

    explicit Tablut(const TablutTables& tables) : rules_(tables) {
        const Squares first_column = column(0), last_column = column(kSize - 1);
        for (auto& by_direction : rules_.enter) {
            by_direction[kLeft] &= ~last_column;   // a slide never wraps round the board
            by_direction[kRight] &= ~first_column;
        }
    }

    const TablutTables& rules() const { return rules_; }

    State start() const {
        return make(rules_.men[kAttackers], rules_.men[kDefenders], rules_.king, rules_.first, 0, 0);
    }

    // A position from its parts, without a past.
    State make(Squares attackers, Squares defenders, int king, Role to_move, int quiet, int plies) const {
        State state;
        state.men = {attackers, defenders};
        state.king = static_cast<std::int8_t>(king);
        state.to_move = to_move;
        state.quiet = static_cast<std::uint32_t>(quiet);
        state.plies = static_cast<std::uint32_t>(plies);
        state.counted = rules_.count_start;
        state.hash = full_hash(state);
        settle(state);
        return state;
    }

    State next(std::span<const State> line, Action action) const {
        State state = line.back();
        const Role mover = state.to_move;
        const int from = action / 32;
        const int to = landing(action);
        const Squares target = Squares::of(to);

        const TablutPiece piece = from == state.king ? kKing : TablutPiece(mover);
        state.hash ^= rules_.piece_key[piece][from] ^ rules_.piece_key[piece][to];
        if (piece == kKing) {
            state.king = static_cast<std::int8_t>(to);
        } else {
            state.men[mover] ^= Squares::of(from) | target;
        }

        ++state.quiet;
        if (piece != kKing || rules_.king_armed) capture(state, mover, target);
        ++state.plies;
        state.action = action;
        state.to_move = static_cast<Role>(1 - mover);
        state.hash ^= rules_.defenders_to_move_key;
        state.counted = true;
        state.seen = earlier_occurrences(line, state);
        settle(state);
        return state;
    }

    int count_actions(const State& state) const { return count_actions(state, state.to_move); }

    // The moves `role` would have were it to move.
    int count_actions(const State& state, Role role) const {
        int count = 0;
        each_slide(state, role, [&](int, int, Squares landings) {
            count += landings.count();
            return false;
        });
        return count;
    }

    Action nth_action(const State& state, int n) const {
        Action found = kNoAction;
        each_slide(state, state.to_move, [&](int direction, int distance, Squares landings) {
            const int here = landings.count();
            if (n >= here) {
                n -= here;
                return false;
            }
            found = action_to(landings.nth(n), direction, distance);
            return true;
        });
        return found;
    }

    // One action, for `below(count)` the n-th in an order of its own: quicker than to count and to find.
    template <class Below>
    Action pick_action(const State& state, Below&& below) const {
        struct Slide {
            Squares landings;
            int direction, distance, before;  // `before`: how many landings came earlier
        };
        std::array<Slide, 2 * 4 * (kSize - 1)> slides;
        int count = 0, used = 0;
        each_slide(state, state.to_move, [&](int direction, int distance, Squares landings) {
            slides[used++] = {landings, direction, distance, count};
            count += landings.count();
            return false;
        });
        const int n = below(count);
        while (slides[--used].before > n) {}
        const Slide& slide = slides[used];
        return action_to(slide.landings.nth(n - slide.before), slide.direction, slide.distance);
    }

    template <class Visit>
    void each_action(const State& state, Visit&& visit) const {
        each_slide(state, state.to_move, [&](int direction, int distance, Squares landings) {
            while (landings.any()) visit(action_to(landings.take_first(), direction, distance));
            return false;
        });
    }

    bool is_legal(const State& state, Action action) const {
        if (action < 0 || action >= kActions || state.result != Result::kOngoing) return false;
        const int to = landing(action);
        const int own_direction = action % 32 / 8, own_distance = action % 8 + 1;
        if (to < 0 || to >= kSquares) return false;
        return each_slide(state, state.to_move, [&](int direction, int distance, Squares landings) {
            return direction == own_direction && distance == own_distance && landings.has(to);
        });
    }

    int actions() const { return kActions; }
    int count_moves(const State& state) const { return count_actions(state); }
    int count_distinct_moves(const State& state) const { return count_actions(state); }

    std::array<std::size_t, 3> observation_shape() const { return {kSize, kSize, kPlanes}; }

    // [9, 9, 43] planes as docs and features.py describe them; `role` owns the first plane.
    void observe(std::span<const State> line, Role role, float* planes) const {
        std::fill(planes, planes + kSquares * kPlanes, 0.0f);
        const auto fill = [&](int plane, float value) {
            for (int square = 0; square < kSquares; ++square) planes[square * kPlanes + plane] = value;
        };
        const auto mark = [&](int plane, Squares squares) {
            while (squares.any()) planes[squares.take_first() * kPlanes + plane] = 1.0f;
        };
        const int known = std::min<int>(kHistory, static_cast<int>(line.size()));
        for (int age = 0; age < known; ++age) {
            const State& state = line[line.size() - 1 - age];
            mark(5 * age, state.men[role]);
            mark(5 * age + 1, state.men[1 - role]);
            mark(5 * age + 2, king_set(state));
            if (state.seen >= 1) fill(5 * age + 3, 1.0f);
            if (state.seen >= 2) fill(5 * age + 4, 1.0f);
        }
        const State& now = line.back();
        if (now.to_move == kAttackers) fill(5 * kHistory, 1.0f);
        fill(5 * kHistory + 1, std::min(1.0f, static_cast<float>(now.plies) * rules_.ply_scale));
        fill(5 * kHistory + 2, std::min(1.0f, static_cast<float>(now.quiet) * rules_.quiet_scale));
    }

    // Further queries for searches and players.

    enum Direction { kUp, kDown, kLeft, kRight };

    static constexpr Squares column(int c) {
        Squares squares;
        for (int row = 0; row < kSize; ++row) squares |= Squares::of(row * kSize + c);
        return squares;
    }

    static constexpr Squares kBoard = Squares((uint128{1} << kSquares) - 1);

    // One step in a direction, wrapping at the side edges: callers mask that away.
    static constexpr Squares step(Squares squares, int direction) {
        switch (direction) {
            case kUp: return squares >> kSize;
            case kDown: return squares << kSize;
            case kLeft: return squares >> 1;
            default: return squares << 1;
        }
    }

    static constexpr int offset(int direction) {
        constexpr std::array<int, 4> offsets{-kSize, kSize, -1, 1};
        return offsets[direction];
    }

    static constexpr int landing(Action action) { return action / 32 + offset(action % 32 / 8) * (action % 8 + 1); }

    static constexpr Action action_to(int to, int direction, int distance) {
        return (to - offset(direction) * distance) * 32 + direction * 8 + distance - 1;
    }

    // Steps along rows and columns from one square to another.
    static constexpr int distance(int a, int b) {
        const int rows = a / kSize - b / kSize, columns = a % kSize - b % kSize;
        return (rows < 0 ? -rows : rows) + (columns < 0 ? -columns : columns);
    }

    static Squares king_set(const State& state) { return state.king == kNoKing ? Squares() : Squares::of(state.king); }

    static Squares empty_squares(const State& state) {
        return kBoard & ~(state.men[0] | state.men[1] | king_set(state));
    }

    // Calls visit(direction, distance, landings) for every direction and distance in which pieces of
    // `role` may land somewhere; a visitor that returns true ends the walk, and so does the walk.
    template <class Visit>
    bool each_slide(const State& state, Role role, Visit&& visit) const {
        const Squares empty = empty_squares(state);
        if (slide(state.men[role], TablutPiece(role), empty, visit)) return true;
        return role == kDefenders && state.king != kNoKing && slide(Squares::of(state.king), kKing, empty, visit);
    }

    template <class Visit>
    bool slide(Squares pieces, TablutPiece piece, Squares empty, Visit&& visit) const {
        for (int direction = 0; direction < 4; ++direction) {
            const Squares enter = rules_.enter[piece][direction] & empty;
            Squares sliding = step(pieces, direction) & enter;
            for (int distance = 1; sliding.any(); ++distance) {
                const Squares landings = sliding & rules_.stop[piece];
                if (landings.any() && visit(direction, distance, landings)) return true;
                sliding = step(sliding, direction) & enter;
            }
        }
        return false;
    }

    // Squares where a step in `direction` may arrive without having wrapped.
    static constexpr Squares inside(int direction) {
        constexpr Squares not_last = kBoard & ~column(kSize - 1), not_first = kBoard & ~column(0);
        return direction == kLeft ? not_last : direction == kRight ? not_first : kBoard;
    }

    // Squares that a piece of `mover` can capture an enemy man against.
    Squares anvils_of(const State& state, Role mover, Squares empty) const {
        Squares anvils = state.men[mover] | (rules_.hostile[1 - mover] & empty);
        if (mover == kDefenders && rules_.king_armed) anvils |= king_set(state);
        if (mover == kAttackers && rules_.throne_hostile_under_king && state.king == rules_.throne) {
            anvils |= Squares::of(rules_.throne);
        }
        return anvils;
    }

    // Empty squares on which an arriving attacker captures the king, who must be on the board.
    Squares king_traps(const State& state, Squares empty) const {
        const Squares king = Squares::of(state.king);
        const Squares enemies = state.men[kAttackers] | (rules_.hostile[kDefenders] & empty);
        std::array<Squares, 4> side;
        std::array<bool, 4> hostile{};
        for (int direction = 0; direction < 4; ++direction) {
            side[direction] = step(king, direction) & inside(direction);
            hostile[direction] = (side[direction] & enemies).any();
        }
        const bool strong = (rules_.strong & king).any();
        const int hostile_sides = hostile[0] + hostile[1] + hostile[2] + hostile[3];
        Squares traps;
        for (int direction = 0; direction < 4; ++direction) {
            const bool completes = strong ? hostile_sides - hostile[direction] == 3 : hostile[direction ^ 1];
            if (completes) traps |= side[direction];
        }
        return traps & empty;
    }

  private:
    bool can_move(const State& state, Role role) const {
        return each_slide(state, role, [](int, int, Squares) { return true; });
    }

    // Removes the men captured by the piece that has just moved to `target`.
    void capture(State& state, Role mover, Squares target) const {
        const Role victim = static_cast<Role>(1 - mover);
        const Squares empty = empty_squares(state);
        const Squares anvils = anvils_of(state, mover, empty);
        Squares captured;
        for (int direction = 0; direction < 4; ++direction) {
            const Squares neighbour = step(target, direction) & inside(direction);
            const Squares beyond = step(neighbour, direction) & inside(direction);
            if ((beyond & anvils).any()) captured |= neighbour & state.men[victim];
        }
        if (captured.any()) {
            state.men[victim] &= ~captured;
            state.quiet = 0;
            while (captured.any()) state.hash ^= rules_.piece_key[victim][captured.take_first()];
        }
        if (mover == kAttackers && king_falls(state, target, empty)) {
            state.hash ^= rules_.piece_key[kKing][state.king];
            state.king = kNoKing;
            state.quiet = 0;
        }
    }

    // Whether the attacker that arrived on `target` takes the king. `empty` is from before captures.
    bool king_falls(const State& state, Squares target, Squares empty) const {
        if (state.king == kNoKing) return false;
        const Squares king = Squares::of(state.king);
        const Squares enemies = state.men[kAttackers] | (rules_.hostile[kDefenders] & empty);
        const bool strong = (rules_.strong & king).any();
        bool adjacent = false, between = false;
        int sides = 0;
        for (int direction = 0; direction < 4; ++direction) {
            const Squares side = step(king, direction) & inside(direction);
            sides += (side & enemies).any();
            if (side == target) {
                adjacent = true;
                const Squares opposite = step(king, direction ^ 1) & inside(direction ^ 1);
                between = (opposite & enemies).any();
            }
        }
        return adjacent && (strong ? sides == 4 : between);
    }

    // Exact: boards are compared, the hash only spares most comparisons. A capture can never be
    // undone, so nothing before the last one needs a check; sides alternate, so only every second state does.
    static std::int8_t earlier_occurrences(std::span<const State> line, const State& state) {
        const int reach = std::min<int>(state.quiet, static_cast<int>(line.size()));
        int seen = 0;
        for (int back = 2; back <= reach; back += 2) {
            const State& earlier = line[line.size() - back];
            seen +=
                earlier.counted && earlier.hash == state.hash && earlier.men == state.men && earlier.king == state.king;
        }
        return static_cast<std::int8_t>(std::min(seen, 127));
    }

    bool surrounded(const State& state) const {
        const Squares open = kBoard & ~state.men[kAttackers];
        Squares reached = state.men[kDefenders] | king_set(state), before;
        do {
            before = reached;
            for (int direction = 0; direction < 4; ++direction) {
                reached |= step(before, direction) & inside(direction) & open;
            }
            if ((reached & rules_.edge).any()) return false;
        } while (reached != before);
        return true;
    }

    // Decides whether the game is over, in the order the rules give.
    void settle(State& state) const {
        const auto end = [&](Result result, TablutReason reason) {
            state.result = result;
            state.reason = static_cast<std::int8_t>(reason);
        };
        const Role next = state.to_move, mover = static_cast<Role>(1 - next);
        const bool both = rules_.both_sides_need_moves;
        if (state.king == kNoKing) {
            end(win_for(kAttackers), TablutReason::kKingCaptured);
        } else if (both && !can_move(state, kDefenders)) {
            end(win_for(kAttackers), TablutReason::kNoMove);
        } else if (rules_.escape.has(state.king)) {
            end(win_for(kDefenders), TablutReason::kKingEscaped);
        } else if (both && !can_move(state, kAttackers)) {
            end(win_for(kDefenders), TablutReason::kNoMove);
        } else if (rules_.surround_loses && surrounded(state)) {
            end(win_for(kAttackers), TablutReason::kSurrounded);
        } else if (rules_.repetition_limit > 0 && state.seen + 1 >= rules_.repetition_limit) {
            end(rules_.repetition_draws ? Result::kDraw : win_for(next), TablutReason::kRepetition);
        } else if (!both && !can_move(state, next)) {
            end(win_for(mover), TablutReason::kNoMove);
        } else if (reaches(state.quiet, rules_.max_quiet_plies)) {
            end(Result::kDraw, TablutReason::kQuietPlies);
        } else if (reaches(state.plies, rules_.max_plies)) {
            end(Result::kDraw, TablutReason::kPlyLimit);
        }
    }

    std::uint64_t full_hash(const State& state) const {
        std::uint64_t hash = state.to_move == kDefenders ? rules_.defenders_to_move_key : 0;
        for (const int role : {kAttackers, kDefenders}) {
            for (Squares men = state.men[role]; men.any();) hash ^= rules_.piece_key[role][men.take_first()];
        }
        if (state.king != kNoKing) hash ^= rules_.piece_key[kKing][state.king];
        return hash;
    }

    TablutTables rules_;
};

static_assert(Game<Tablut>);

}  // namespace boardwright
