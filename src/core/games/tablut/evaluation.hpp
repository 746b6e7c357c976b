// Static evaluation and move ordering of Tablut.
#pragma once

#include "games/tablut/rules.hpp"
#include "search/evaluation.hpp"

namespace boardwright {

template <>
class Evaluator<Tablut> {
  public:
    using State = Tablut::State;
    // The features of the score, for the attackers.
    enum Feature {
        kAttackerMen,     // attackers on the board
        kDefenderMen,     // defenders on the board, without the king
        kKingReach,       // squares the king can move to
        kEscapesInTwo,    // escape squares the king reaches in two moves if not hindered
        kEdgesInOne,      // edge squares he can move to
        kKingBeset,       // attackers (or hostile squares) adjacent to the king
        kKingShielded,    // defenders adjacent to the king
        kKingTraps,       // squares from which an attacker arriving would take him
        kCornerGuards,    // attackers on the diagonal before an escape corner
        kOuterAttackers,  // attackers on the edge
        kAttackerMoves,   // moves the attackers have
        kKingFromCentre,  // king's distance from the throne, in squares
        kAttackersToMove, // 1, or -1 where the defenders are
        kConstant,        // 1: the attackers' chances as such
        kFeatures
    };
    using Features = std::array<int, kFeatures>;
    static constexpr double kScale = 500;
    // In hundredths of an attacker, fitted to the results of self-play games by logistic regression, then adjusted by
    // hand where a feature was dropped. The weights depend on how the king is captured and where he escapes to.
    static constexpr Features kWeakKing{100, -74, -10, 0, -85, -9, -24, 25, 16, -24, 1, -47, 38, -603};
    static constexpr Features kStrongKing{100, -57, -1, -3, -68, -18, 12, 90, -12, -19, 5, -21, 38, -1570};
    static constexpr Features kEdgeEscape{100, -64, 0, -20, -98, -11, -6, 66, 4, -26, 1, 57, 46, -1180};

    explicit Evaluator(const Tablut& game)
        : game_(&game), weights_(game.rules().escape.count() > 4 ? &kEdgeEscape
                                 : game.rules().strong.any()     ? &kStrongKing
                                                                 : &kWeakKing) {
        for (int corner : {0, 8, 72, 80}) {
            if (!game.rules().escape.has(corner)) continue;
            const int row = corner / 9 ? -1 : 1, column = corner % 9 ? -1 : 1;
            guards_ |= Squares::of(corner + 9 * row + column) | Squares::of(corner + 18 * row) |
                       Squares::of(corner + 2 * column);
        }
        for (int square = 0; square < Tablut::kSquares; ++square) {
            const int row = square / 9, column = square % 9;
            if (row == 0 || row == 8 || column == 0 || column == 8) edge_ |= Squares::of(square);
        }
    }

    const Tablut& game() const { return *game_; }

    Features features(const State& state) const {
        Features f{};
        const Squares attackers = state.men[kAttackers], king = Tablut::king_set(state);
        f[kAttackerMen] = attackers.count();
        f[kDefenderMen] = state.men[kDefenders].count();
        const Squares one = king_moves(state, king), two = king_moves(state, one);
        f[kKingReach] = one.count();
        f[kEscapesInTwo] = (two & game_->rules().escape).count();
        f[kEdgesInOne] = (one & edge_).count();
        const Squares hostile = attackers | (game_->rules().hostile[kDefenders] & Tablut::empty_squares(state));
        for (int direction = 0; direction < 4; ++direction) {
            const Squares side = Tablut::step(king, direction) & Tablut::inside(direction);
            f[kKingBeset] += (side & hostile).any();
            f[kKingShielded] += (side & state.men[kDefenders]).any();
        }
        f[kKingTraps] = game_->king_traps(state, Tablut::empty_squares(state)).count();
        f[kCornerGuards] = (attackers & guards_).count();
        f[kOuterAttackers] = (attackers & edge_).count();
        f[kAttackerMoves] = game_->count_actions(state, kAttackers);
        f[kKingFromCentre] = Tablut::distance(state.king, 40);
        f[kAttackersToMove] = state.to_move == kAttackers ? 1 : -1;
        f[kConstant] = 1;
        return f;
    }

    int value(const State& state) const {
        const Features f = features(state);
        int score = 0;
        for (int i = 0; i < kFeatures; ++i) score += f[i] * (*weights_)[i];
        return state.to_move == kAttackers ? score : -score;
    }

    std::uint64_t key(const State& state) const {
        return state.hash ^ near_limit(state.quiet, game_->rules().max_quiet_plies) ^
               near_limit(state.plies, game_->rules().max_plies) * 3;
    }

    void list(const State& state, ActionList& actions) const { list_moves(state, actions, true); }
    void list_sharp(const State& state, ActionList& actions) const { list_moves(state, actions, false); }
    // The king's moves to an escape, or the attackers' to where he is taken.
    void list_winning(const State& state, ActionList& actions) const {
        const bool hunts = state.to_move == kAttackers;
        const Squares empty = Tablut::empty_squares(state);
        const Squares wins = hunts ? game_->king_traps(state, empty) : game_->rules().escape;
        const Squares movers = hunts ? state.men[kAttackers] : Tablut::king_set(state);
        if (wins.none() || movers.none()) return;
        game_->slide(movers, hunts ? TablutPiece(kAttackers) : kKing, empty,
                     [&](int direction, int distance, Squares landings) {
                         for (landings &= wins; landings.any();) {
                             actions.push_back({Tablut::action_to(landings.take_first(), direction, distance), kSharp});
                         }
                         return false;
                     });
    }
    bool is_forced(const State&) const { return false; }
    bool repeats_to_draw() const { return game_->rules().repetition_limit > 0 && game_->rules().repetition_draws; }
    std::optional<int> known(const State&, int) const { return std::nullopt; }

  private:
    // Squares a king on any of `from` can move to, those he starts from taken as empty.
    Squares king_moves(const State& state, Squares from) const {
        Squares reached;
        game_->slide(from, kKing, Tablut::empty_squares(state) | Tablut::king_set(state),
                     [&](int, int, Squares landings) {
                         reached |= landings;
                         return false;
                     });
        return reached & ~Tablut::king_set(state);
    }

    void list_moves(const State& state, ActionList& actions, bool quiet_too) const {
        const Role role = state.to_move;
        const Squares empty = Tablut::empty_squares(state);
        const std::array<Squares, 2> taking = captures(state, role, empty);
        const Squares wins = role == kAttackers ? game_->king_traps(state, empty) : game_->rules().escape;
        const auto add = [&](TablutPiece piece) {
            return [&, piece](int direction, int distance, Squares landings) {
                const bool wins_here = role == kAttackers || piece == kKing;
                const bool takes = piece != kKing || game_->rules().king_armed;
                Squares sharp = (wins_here ? wins : Squares()) | (takes ? taking[0] : Squares());
                if (!quiet_too) landings &= sharp;
                while (landings.any()) {
                    const int to = landings.take_first();
                    int order = 0;
                    if (sharp.has(to)) {
                        order = kSharp + (takes && taking[0].has(to) ? 100 : 0) +
                                (takes && taking[1].has(to) ? 100 : 0) + (wins_here && wins.has(to) ? 10000 : 0);
                    }
                    actions.push_back({Tablut::action_to(to, direction, distance), order});
                }
                return false;
            };
        };
        game_->slide(state.men[role], TablutPiece(role), empty, add(TablutPiece(role)));
        if (role == kDefenders && state.king != Tablut::kNoKing) {
            game_->slide(Squares::of(state.king), kKing, empty, add(kKing));
        }
    }

    // Squares from which a man arriving takes one man or more, and two or more. The man that moves may
    // itself have been the anvil: rare, and harmless to an ordering.
    std::array<Squares, 2> captures(const State& state, Role role, Squares empty) const {
        const Squares anvils = game_->anvils_of(state, role, empty), enemies = state.men[1 - role];
        Squares once, twice;
        for (int direction = 0; direction < 4; ++direction) {
            const Squares held = Tablut::step(anvils, direction) & Tablut::inside(direction) & enemies;
            const Squares from = Tablut::step(held, direction) & Tablut::inside(direction) & empty;
            twice |= once & from;
            once |= from;
        }
        return {once, twice};
    }

    const Tablut* game_;
    const Features* weights_;
    Squares guards_, edge_;
};

}  // namespace boardwright
