// Static evaluation and move ordering of Cathedral.
#pragma once

#include <cmath>

#include "games/cathedral/rules.hpp"
#include "search/evaluation.hpp"

namespace boardwright {

template <>
class Evaluator<Cathedral> {
  public:
    using State = Cathedral::State;
    static constexpr double kScale = 320;

    // The features of the score: light's count less dark's.
    enum Feature {
        kLeft,          // squares of buildings in hand, counted at the end of the game
        kStuck,         // those of buildings that fit nowhere now
        kTerritory,     // cells of territory
        kRoom,          // ten times the root of the number of placements he would have were it his turn
        kShapes,        // kinds of building in hand that fit somewhere
        kShort,         // squares in hand beyond the cells he could still build on
        kSafe,          // squares in hand that his own territory could take
        kToMove,        // 1 for light to move, -1 for dark
        kFeatures
    };
    using Features = std::array<int, kFeatures>;
    // With an empty board, and with a full one: between them the weight changes with the cells built on.
    // Fitted to the results of self-play games by logistic regression and rounded by hand.
    static constexpr Features kEmpty{-60, 0, 15, 0, -10, 0, 25, 260};
    static constexpr Features kFull{-140, -40, 12, 8, 45, -50, 6, 0};

    explicit Evaluator(const Cathedral& game) : game_(&game) {}

    const Cathedral& game() const { return *game_; }

    Features features(const State& state) const {
        Features f{};
        for (const Role role : {Cathedral::kLight, Cathedral::kDark}) {
            const int sign = role == Cathedral::kLight ? 1 : -1;
            const Squares free = game_->free_cells(state, role);
            int placements = 0;
            unsigned fitting = 0;
            game_->placements().walk(role, free, state.hand[role], [&](const auto&, Squares anchors, unsigned pieces) {
                placements += anchors.count() * std::popcount(pieces);
                fitting |= pieces;
                return false;
            });
            const int left = squares_of(state.hand[role]);
            f[kLeft] += sign * left;
            f[kStuck] += sign * (left - squares_of(fitting));
            f[kTerritory] += sign * state.territory[role].count();
            f[kRoom] += sign * static_cast<int>(10 * std::sqrt(static_cast<double>(placements)));
            f[kShapes] += sign * std::popcount(fitting);
            f[kShort] += sign * std::max(0, left - free.count());
            f[kSafe] += sign * std::min(left, state.territory[role].count());
        }
        f[kToMove] = state.to_move == Cathedral::kLight ? 1 : state.to_move == Cathedral::kDark ? -1 : 0;
        return f;
    }

    int value(const State& state) const {
        const Features f = features(state);
        const int cells = game_->size() * game_->size();
        const int built = (state.built[0] | state.built[1] | state.cathedral_cells).count();
        int empty = 0, full = 0;
        for (int i = 0; i < kFeatures; ++i) {
            empty += f[i] * kEmpty[i];
            full += f[i] * kFull[i];
        }
        const int score = std::clamp((empty * (cells - built) + full * built) / cells, -kMaxStatic, kMaxStatic);
        return state.to_move == Cathedral::kDark ? -score : score;
    }

    std::uint64_t key(const State& state) const { return state.hash; }

    // Large buildings first: a small one finds its place later too.
    void list(const State& state, ActionList& actions) const {
        game_->each_action(state, [&](Action action) {
            actions.push_back({action, game_->rules().piece_size[game_->rules().piece[action]] << 18});
        });
    }

    void list_sharp(const State&, ActionList&) const {}
    void list_winning(const State&, ActionList&) const {}
    bool is_forced(const State&) const { return false; }
    bool repeats_to_draw() const { return false; }  // nothing can be repeated
    std::optional<int> known(const State&, int) const { return std::nullopt; }

  private:
    int squares_of(unsigned pieces) const {
        int squares = 0;
        for (; pieces; pieces &= pieces - 1) squares += game_->rules().piece_size[std::countr_zero(pieces)];
        return squares;
    }

    const Cathedral* game_;
};

}  // namespace boardwright
