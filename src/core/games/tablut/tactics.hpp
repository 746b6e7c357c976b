// Static tactics of Tablut, computed from the board without a search: which men can be taken, whether the king can be
// captured, and whether he has a victory path (Pilarski, "Designing an Effective Tablut Artificial Intelligence").
//
// Cheap enough for every ply of a simulation: a few dozen operations on sets of squares,
// and a move is only tried out where the king can reach a square with an open way to escape.
#pragma once

#include <limits>

#include "games/tablut/rules.hpp"

namespace boardwright {

// By what the king wins. In rule sets where any edge is an escape, a way leads straight to the edge, and
// the names of the paper mean the same: two ways, one that cannot be blocked.
enum class PathKind : std::int8_t { kNone, kEscape, kClearEdge, kSafeEdge, kSafeEdgeWithCapture };

struct VictoryPath {
    PathKind kind = PathKind::kNone;
    Action action = kNoAction;  // its first move

    bool found() const { return kind != PathKind::kNone; }
};

class TablutTactics {
  public:
    using State = Tablut::State;

    explicit TablutTactics(const Tablut& game) : game_(game) {
        for (Squares escapes = game.rules().escape; escapes.any();) {
            const int square = escapes.take_first();
            in_line_with_escape_ |= row(square / Tablut::kSize) | Tablut::column(square % Tablut::kSize);
        }
    }

    // Whether the attackers, were they to move, could capture the king at once.
    bool king_can_be_captured(const State& state) const {
        if (state.king == Tablut::kNoKing) return false;
        const Squares empty = Tablut::empty_squares(state), traps = game_.king_traps(state, empty);
        return traps.any() && (traps & attackers_reach(state, empty)).any();
    }

    // Men of `victim` that some single move of the other side would take.
    Squares threatened(const State& state, Role victim) const {
        const Role mover = static_cast<Role>(1 - victim);
        const Squares empty = Tablut::empty_squares(state);
        Squares arrivals = reach(state.men[mover], TablutPiece(mover), empty);
        if (mover == kDefenders && game_.rules().king_armed) arrivals |= reach(Tablut::king_set(state), kKing, empty);
        // A man cannot press another against the square it came from: that would need a jump.
        const Squares anvils = game_.anvils_of(state, mover, empty);
        Squares taken;
        for (int direction = 0; direction < 4; ++direction) {
            taken |= Tablut::step(arrivals, direction) & Tablut::inside(direction) &
                     Tablut::step(anvils, direction ^ 1) & Tablut::inside(direction ^ 1);
        }
        return taken & state.men[victim];
    }

    // The quickest proven win of the king in line.back(), where defenders are to move, or none. What it
    // finds is a forced win in 1, 3, 3 and 5 plies by kind, ply limits and the players' own repetitions
    // included (but not a draw that attackers could claim by repeating); it does not find every one.
    //
    //   escape: he reaches an escape square (or some other king move that ends the game).
    //   clear edge: he lands where two ways to escape are open; one reply cannot close both.
    //   safe edge: one way is open, and no attacker can reach any square of it with one move.
    //   safe edge with capture: only the last square before the corner can be reached, and its line
    //     holds a single attacker, whom the king then takes against the corner. He must land at least 3
    //     from it, to have a move left that takes.
    //
    // Each is judged after the king's own captures, and only where he cannot be captured on landing:
    // next to a corner, a single attacker on his other side is enough.
    VictoryPath victory_path(std::span<const State> line) const {
        const State& state = line.back();
        VictoryPath best;
        if (state.king == Tablut::kNoKing) return best;
        const Squares king = Squares::of(state.king), empty = Tablut::empty_squares(state);
        const int plies_left = plies_until_draw(state);
        game_.slide(king, kKing, empty, [&](int direction, int distance, Squares landing) {
            const int to = landing.first();
            const Action action = Tablut::action_to(to, direction, distance);
            if (game_.rules().escape.has(to)) {
                best = {PathKind::kEscape, action};
                return true;
            }
            if (best.kind != PathKind::kNone && best.kind != PathKind::kSafeEdgeWithCapture) return false;
            if ((landing & in_line_with_escape_).none()) return false;
            const PathKind kind = path_after(game_.next(line, action), to, plies_left);
            if (kind != PathKind::kNone) best = {kind, action};
            return kind == PathKind::kEscape;
        });
        return best;
    }

  private:
    struct Way {
        Squares squares;  // from the king, without his own, up to and with the escape
        int escape = 0;
        int direction = 0;
    };

    static constexpr int kEndless = std::numeric_limits<int>::max();

    // A win of n plies is in time where this is n or more: escaping ends the game before limits do.
    int plies_until_draw(const State& state) const {
        const TablutTables& rules = game_.rules();
        int left = kEndless;
        if (rules.max_plies > 0) left = std::min(left, rules.max_plies - static_cast<int>(state.plies));
        if (rules.max_quiet_plies > 0) left = std::min(left, rules.max_quiet_plies - static_cast<int>(state.quiet));
        return left;
    }

    // The path that the king's arrival on `to` wins by; `plies_left` are those before his move.
    PathKind path_after(const State& after, int to, int plies_left) const {
        if (after.result != Result::kOngoing) {
            return after.result == win_for(kDefenders) ? PathKind::kEscape : PathKind::kNone;
        }
        if (plies_left < 3) return PathKind::kNone;
        const Squares empty = Tablut::empty_squares(after);
        Way way;
        int ways = 0;
        for (int direction = 0; direction < 4; ++direction) {
            Way found;
            if (open_way(to, direction, empty, found)) {
                way = found;
                ++ways;
            }
        }
        if (ways == 0 || king_can_be_captured(after)) return PathKind::kNone;
        if (ways >= 2) return PathKind::kClearEdge;
        const Squares blocks = attackers_reach(after, empty) & way.squares;
        if (blocks.none()) return PathKind::kSafeEdge;
        return plies_left >= 5 && takes_the_blocker(after, way, blocks) ? PathKind::kSafeEdgeWithCapture
                                                                        : PathKind::kNone;
    }

    bool open_way(int from, int direction, Squares empty, Way& way) const {
        const Squares enter = game_.rules().enter[kKing][direction] & empty;
        Squares at = Tablut::step(Squares::of(from), direction) & enter;
        for (; at.any(); at = Tablut::step(at, direction) & enter) {
            way.squares |= at;
            if ((at & game_.rules().escape & game_.rules().stop[kKing]).any()) {
                way.escape = at.first();
                way.direction = direction;
                return true;
            }
        }
        return false;
    }

    bool takes_the_blocker(const State& after, const Way& way, Squares blocks) const {
        const TablutTables& rules = game_.rules();
        const int last = way.escape - Tablut::offset(way.direction);  // the square before the corner
        if (blocks != Squares::of(last) || way.squares.count() < 3) return false;
        if (!rules.king_armed || !rules.hostile[kAttackers].has(way.escape)) return false;
        const bool along_row = way.direction == Tablut::kLeft || way.direction == Tablut::kRight;
        const Squares line = along_row ? Tablut::column(last % Tablut::kSize) : row(last / Tablut::kSize);
        return (after.men[kAttackers] & line).count() == 1;
    }

    static constexpr Squares row(int r) { return Squares(((uint128{1} << Tablut::kSize) - 1) << (r * Tablut::kSize)); }

    Squares attackers_reach(const State& state, Squares empty) const {
        return reach(state.men[kAttackers], kAttacker, empty);
    }

    // Every square on which some of `pieces` may land.
    Squares reach(Squares pieces, TablutPiece piece, Squares empty) const {
        Squares passed;
        for (int direction = 0; direction < 4; ++direction) {
            const Squares enter = game_.rules().enter[piece][direction] & empty;
            for (Squares sliding = Tablut::step(pieces, direction) & enter; sliding.any();
                 sliding = Tablut::step(sliding, direction) & enter) {
                passed |= sliding;
            }
        }
        return passed & game_.rules().stop[piece];
    }

    const Tablut& game_;
    Squares in_line_with_escape_;  // ignoring pieces between
};

// Forced escapes that are longer than a victory path: the defenders threaten one, move after move, until a threat
// cannot be parried. Searches only the defenders' moves that threaten a victory path, but every reply, so its results
// are proven, and quick: three threats, a win in up to eleven plies, mostly take less than a millisecond. Wins that
// need a quiet move are not found.
class TablutEscape {
  public:
    explicit TablutEscape(const Tablut& game) : tactics_(game) {}

    // Whether the defenders, who are to move, have a victory path now or by force after at most `threats` threats.
    bool forced(Line<Tablut>& line, int threats) {
        return tactics_.victory_path(line.states()).found() || (threats > 0 && forced_by_threats(line, threats));
    }

  private:
    // Positions searched for threats, some 50 microseconds each, before the search gives up.
    static constexpr int kMaxPositions = 500;

    bool forced_by_threats(Line<Tablut>& line, int threats) {
        if (++positions_ > kMaxPositions) return false;
        bool wins = false;
        line.each_action([&](Action action) {
            if (wins) return;
            line.play(action);
            wins = line.over() ? line.now().result == win_for(kDefenders)
                               : threatens(line.now()) && cannot_be_parried(line, threats - 1);
            line.undo();
        });
        return wins;
    }

    // Whether the king, whom the attackers cannot take, would have a victory path if it were his turn again.
    bool threatens(Tablut::State state) const {
        if (tactics_.king_can_be_captured(state)) return false;
        state.to_move = kDefenders;
        return tactics_.victory_path({&state, 1}).found();
    }

    bool cannot_be_parried(Line<Tablut>& line, int threats) {
        std::vector<Action> parries;
        line.each_action([&](Action action) {
            line.play(action);
            const bool lost = line.over() ? line.now().result == win_for(kDefenders) : forced(line, 0);
            if (!lost) parries.push_back(action);
            line.undo();
        });
        return std::ranges::all_of(parries, [&](Action action) {
            line.play(action);
            const bool lost = threats > 0 && !line.over() && forced_by_threats(line, threats);
            line.undo();
            return lost;
        });
    }

    TablutTactics tactics_;
    int positions_ = 0;
};

}  // namespace boardwright
