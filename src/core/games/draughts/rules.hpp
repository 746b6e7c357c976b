// English draughts, one hop per action: a capture of several pieces is several actions by the same role.
//
// action = (square - 1) * 4 + direction; whether it steps or jumps follows from the forced-capture
// rule. Counters, repetition and perft count whole moves, as people do.
#pragma once

#include <algorithm>

#include "game.hpp"
#include "games/draughts/board.hpp"

namespace boardwright {

enum class DraughtsReason : std::int8_t { kNone, kNoMove, kRepetition, kInactivity, kPlyLimit };

// One rule set and one observation, with the fields of `Tables` in rules.py.
struct DraughtsTables {
    int repetition_limit = 3;       // occurrences that draw; 0: none
    int max_quiet_plies = 0;        // 0: no limit
    bool man_moves_are_quiet = false;
    int max_plies = 0;              // 0: no limit
    int history = 1;                // positions the observation shows
    bool extra_planes = true;       // repetition by position; side, continuing piece, inactivity
    float quiet_scale = 1;          // factor of the inactivity plane
    std::array<std::array<std::uint64_t, 32>, 4> piece_key{};  // black man, black king, white man, white king
    std::array<std::uint64_t, 32> continuing_key{};
    std::uint64_t white_to_move_key = 0;
};

class Draughts {
  public:
    using Bits = draughts::Bits;
    using Board = draughts::Board;

    static constexpr int kActions = 128;
    static constexpr int kSize = 8;
    static constexpr Bits kStartBlack = 0x00000FFF, kStartWhite = 0xFFF00000;

    struct State {
        Board board;
        draughts::Origins moving;    // from where the role to move may hop, by direction
        Bits continuing = 0;         // the piece that must continue its capture, if any
        Action action = kNoAction;   // the hop that led here
        std::uint64_t hash = 0;
        std::uint32_t plies = 0;     // whole moves played
        std::uint32_t quiet = 0;     // whole moves since the last one that the inactivity rule counts as progress
        std::uint16_t reversible = 0;  // whole moves since a capture or a man's move
        Role to_move = draughts::kBlack;
        Result result = Result::kOngoing;
        std::int8_t reason = 0;      // DraughtsReason
        std::int8_t seen = 0;        // earlier occurrences of this position in the line
        bool continues = false;      // the role to move is in the middle of a move
    };

    explicit Draughts(const DraughtsTables& tables) : rules_(tables) {}

    const DraughtsTables& rules() const { return rules_; }

    State start() const { return make({{kStartBlack, kStartWhite}, 0}, draughts::kBlack, 0, 0, 0); }

    // A position set up from outside, without a past.
    State make(Board board, Role to_move, Bits continuing, int quiet, int plies) const {
        State state;
        state.board = board;
        state.to_move = to_move;
        state.continuing = continuing;
        state.continues = continuing != 0;
        state.quiet = static_cast<std::uint32_t>(quiet);
        state.plies = static_cast<std::uint32_t>(plies);
        state.hash = full_hash(state);
        if (continuing) restrict_to_continuation(state, to_move, continuing);
        settle(state);
        return state;
    }

    State next(std::span<const State> line, Action action) const {
        State state = line.back();
        const Role mover = state.to_move;
        const int direction = action % 4;
        const Bits from = Bits{1} << (action / 4);
        const Bits neighbour = draughts::step(from, direction);
        const bool jump = (neighbour & state.board.pieces[1 - mover]) != 0;
        const bool was_king = (state.board.kings & from) != 0;

        if (state.continuing) state.hash ^= rules_.continuing_key[std::countr_zero(state.continuing)];
        state.hash ^= key(mover, was_king, from);
        if (jump) state.hash ^= key(1 - mover, (state.board.kings & neighbour) != 0, neighbour);
        const auto [to, crowned] = draughts::hop(state.board, mover, from, direction, jump);
        state.hash ^= key(mover, was_king || crowned, to);

        state.action = action;
        state.continuing = 0;
        if (jump && !crowned && restrict_to_continuation(state, mover, to)) {
            state.continuing = to;
            state.continues = true;
            state.seen = 0;
            state.hash ^= rules_.continuing_key[std::countr_zero(to)];
            return state;
        }
        // The whole move is done. An earlier hop of it was a capture, and so was the last one.
        state.continues = false;
        state.reversible = jump || !was_king ? 0 : static_cast<std::uint16_t>(state.reversible + 1);
        const bool active = jump || (!was_king && !rules_.man_moves_are_quiet);
        state.quiet = active ? 0 : state.quiet + 1;
        ++state.plies;
        state.to_move = static_cast<Role>(1 - mover);
        state.hash ^= rules_.white_to_move_key;
        state.seen = earlier_occurrences(line, state);
        settle(state);
        return state;
    }

    int actions() const { return kActions; }
    int count_actions(const State& state) const { return state.moving.count(); }

    Action nth_action(const State& state, int n) const {
        for (int direction = 0;; ++direction) {
            Bits from = state.moving.from[direction];
            const int here = std::popcount(from);
            if (n < here) {
                while (n-- > 0) from &= from - 1;
                return std::countr_zero(from) * 4 + direction;
            }
            n -= here;
        }
    }

    template <class Visit>
    void each_action(const State& state, Visit&& visit) const {
        for (int direction = 0; direction < 4; ++direction) {
            for (Bits from = state.moving.from[direction]; from; from &= from - 1) {
                visit(std::countr_zero(from) * 4 + direction);
            }
        }
    }

    bool is_legal(const State& state, Action action) const {
        return action >= 0 && action < kActions && state.result == Result::kOngoing &&
               (state.moving.from[action % 4] >> (action / 4)) & 1;
    }

    // Whole moves from here, capture routes counted one by one.
    int count_moves(const State& state) const {
        if (!state.moving.jumps) return state.moving.count();
        int routes = 0;
        for (Bits jumpers = state.moving.all(); jumpers; jumpers &= jumpers - 1) {
            draughts::each_capture(state.board, state.to_move, jumpers & -jumpers,
                                   [&](const Board&, Bits) { ++routes; });
        }
        return routes;
    }

    // Only a king can take the same pieces to the same square by two routes: men never turn back.
    int count_distinct_moves(const State& state) const {
        Bits jumpers = state.moving.all();
        if (!state.moving.jumps || !(jumpers & state.board.kings)) return count_moves(state);
        int moves = 0;
        std::vector<Board> reached;
        for (; jumpers; jumpers &= jumpers - 1) {
            reached.clear();
            draughts::each_capture(state.board, state.to_move, jumpers & -jumpers, [&](const Board& after, Bits) {
                if (std::find(reached.begin(), reached.end(), after) == reached.end()) reached.push_back(after);
            });
            moves += static_cast<int>(reached.size());
        }
        return moves;
    }

    std::array<std::size_t, 3> observation_shape() const {
        const int planes = rules_.history * (rules_.extra_planes ? 5 : 4) + (rules_.extra_planes ? 3 : 0);
        return {kSize, kSize, static_cast<std::size_t>(planes)};
    }

    // Planes as features.py describes them, the board turned so that `role` moves up.
    void observe(std::span<const State> line, Role role, float* planes) const {
        const auto depth = observation_shape()[2];
        std::fill(planes, planes + kSize * kSize * depth, 0.0f);
        const auto mark = [&](std::size_t plane, Bits squares) {
            for (; squares; squares &= squares - 1) {
                planes[cell(std::countr_zero(squares), role) * depth + plane] = 1.0f;
            }
        };
        const auto fill = [&](std::size_t plane, float value) {
            for (std::size_t c = 0; c < kSize * kSize; ++c) planes[c * depth + plane] = value;
        };
        const auto history = static_cast<std::size_t>(rules_.history);
        const std::size_t planes_each = rules_.extra_planes ? 5 : 4;
        for (std::size_t age = 0; age < std::min(history, line.size()); ++age) {
            const State& state = line[line.size() - 1 - age];
            const std::size_t plane = age * planes_each;
            mark(plane, state.board.men(role));
            mark(plane + 1, state.board.kings_of(role));
            mark(plane + 2, state.board.men(1 - role));
            mark(plane + 3, state.board.kings_of(1 - role));
            if (rules_.extra_planes && state.seen >= 1) fill(plane + 4, 1.0f);
        }
        if (!rules_.extra_planes) return;
        const State& now = line.back();
        const std::size_t plane = history * planes_each;
        if (now.to_move == draughts::kBlack) fill(plane, 1.0f);
        mark(plane + 1, now.continuing);
        fill(plane + 2, std::min(1.0f, static_cast<float>(now.quiet) * rules_.quiet_scale));
    }

  private:
    // The cell of a square on the 8x8 board as a role sees it: Black's board is turned half round.
    static constexpr std::size_t cell(int square, Role role) {
        const int row = square / 4, column = 2 * (square % 4) + (row % 2 == 0 ? 1 : 0);
        const int plain = row * kSize + column;
        return static_cast<std::size_t>(role == draughts::kWhite ? plain : kSize * kSize - 1 - plain);
    }

    std::uint64_t key(int role, bool king, Bits square) const {
        return rules_.piece_key[2 * role + king][std::countr_zero(square)];
    }

    // Makes further captures of the piece that has just captured the only moves; returns whether there are any.
    static bool restrict_to_continuation(State& state, Role role, Bits piece) {
        state.moving = {draughts::all_jumpers(state.board, role), true};
        for (Bits& from : state.moving.from) from &= piece;
        return state.moving.any();
    }

    // Exact: boards are compared. Nothing before the last capture or man's move can come again, and a
    // whole move in that stretch is one state; sides alternate, and a king needs four plies to return.
    static std::int8_t earlier_occurrences(std::span<const State> line, const State& state) {
        const int reach = std::min<int>(state.reversible, static_cast<int>(line.size()));
        int seen = 0;
        for (int back = 4; back <= reach; back += 2) seen += line[line.size() - back].board == state.board;
        return static_cast<std::int8_t>(std::min(seen, 127));
    }

    void settle(State& state) const {
        const auto end = [&](Result result, DraughtsReason reason) {
            state.result = result;
            state.reason = static_cast<std::int8_t>(reason);
        };
        if (state.continues) return;
        state.moving = draughts::origins(state.board, state.to_move);
        if (!state.moving.any()) {
            end(win_for(1 - state.to_move), DraughtsReason::kNoMove);
        } else if (rules_.repetition_limit > 0 && state.seen + 1 >= rules_.repetition_limit) {
            end(Result::kDraw, DraughtsReason::kRepetition);
        } else if (reaches(state.quiet, rules_.max_quiet_plies)) {
            end(Result::kDraw, DraughtsReason::kInactivity);
        } else if (reaches(state.plies, rules_.max_plies)) {
            end(Result::kDraw, DraughtsReason::kPlyLimit);
        }
    }

    std::uint64_t full_hash(const State& state) const {
        std::uint64_t hash = state.to_move == draughts::kWhite ? rules_.white_to_move_key : 0;
        for (const int role : {draughts::kBlack, draughts::kWhite}) {
            for (Bits pieces = state.board.pieces[role]; pieces; pieces &= pieces - 1) {
                const Bits piece = pieces & -pieces;
                hash ^= key(role, (state.board.kings & piece) != 0, piece);
            }
        }
        if (state.continuing) hash ^= rules_.continuing_key[std::countr_zero(state.continuing)];
        return hash;
    }

    DraughtsTables rules_;
};

static_assert(Game<Draughts>);

}  // namespace boardwright
