// The two one-ply players of Tablut (Pilarski, "Designing an Effective Tablut Artificial Intelligence"): `greedy`
// and `heuristic`. Each returns all moves it considers best; the player draws one.
#pragma once

#include "games/tablut/tactics.hpp"

namespace boardwright {

struct ScoredAction {
    Action action = kNoAction;
    int score = 0;
};

class TablutHeuristics {
  public:
    using State = Tablut::State;

    explicit TablutHeuristics(const Tablut& game) : game_(game), tactics_(game) {}

    // An immediate win, with `wins_first`; else the most captures, the king being one; else, of the
    // defenders, a king move that brings him nearest to an escape square, nearer than he is; else any.
    std::vector<Action> greedy(std::span<const State> line, bool wins_first) const {
        const State& now = line.back();
        const int distance = escape_distance(now.king);
        int most_captures = 0, best_approach = 0;
        std::vector<Action> all, wins, captures, approaches;
        game_.each_action(now, [&](Action action) {
            const State after = game_.next(line, action);
            all.push_back(action);
            if (after.result == win_for(now.to_move)) wins.push_back(action);
            if (const int taken = captured(now, after) + (after.king == Tablut::kNoKing); taken > 0) {
                keep_best(captures, most_captures, taken, action);
            }
            if (after.king != now.king && after.king != Tablut::kNoKing) {
                if (const int closer = escape_distance(after.king); closer < distance) {
                    keep_best(approaches, best_approach, -closer, action);
                }
            }
        });
        if (wins_first && !wins.empty()) return wins;
        if (!captures.empty()) return captures;
        return approaches.empty() ? all : approaches;
    }

    // The score of each legal move, from the position after it: the paper's points, but a move that wins or loses
    // at once ranks above or below all others.
    std::vector<ScoredAction> scores(std::span<const State> line) const {
        std::vector<ScoredAction> scored;
        const State& now = line.back();
        game_.each_action(now,
                          [&](Action action) { scored.push_back({action, score(now, game_.next(line, action))}); });
        return scored;
    }

    // A win at once; else, of the defenders, the first move of a victory path; else the best scores.
    std::vector<Action> heuristic(std::span<const State> line) const {
        const std::vector<ScoredAction> scored = scores(line);
        int highest = kLost;
        for (const ScoredAction& move : scored) highest = std::max(highest, move.score);
        if (highest != kWon && line.back().to_move == kDefenders) {
            if (const VictoryPath path = tactics_.victory_path(line); path.found()) return {path.action};
        }
        std::vector<Action> best;
        for (const ScoredAction& move : scored) {
            if (move.score == highest) best.push_back(move.action);
        }
        return best;
    }

  private:
    static constexpr int kWon = 1'000'000, kLost = -kWon;

    static void keep_best(std::vector<Action>& best, int& best_score, int score, Action action) {
        if (best.empty() || score > best_score) {
            best.clear();
            best_score = score;
        }
        if (score == best_score) best.push_back(action);
    }

    // Taflmen that the side to move in `before` took.
    static int captured(const State& before, const State& after) {
        const Role victim = static_cast<Role>(1 - before.to_move);
        return before.men[victim].count() - after.men[victim].count();
    }

    // Steps along rows and columns to the nearest escape square, ignoring pieces.
    int escape_distance(int square) const {
        int nearest = 2 * Tablut::kSize;
        for (Squares escapes = game_.rules().escape; escapes.any();) {
            nearest = std::min(nearest, Tablut::distance(escapes.take_first(), square));
        }
        return nearest;
    }

    bool has_victory_path(State state) const {
        state.to_move = kDefenders;
        return tactics_.victory_path({&state, 1}).found();
    }

    int score(const State& before, const State& after) const {
        const Role mover = before.to_move;
        if (after.result == win_for(mover)) return kWon;
        if (after.result == win_for(1 - mover)) return kLost;
        int points = 10 * captured(before, after) - 5 * tactics_.threatened(after, mover).count();
        if (mover == kAttackers) return points + (has_victory_path(after) ? 0 : 1000);
        if (tactics_.king_can_be_captured(after)) points -= 1000;
        if (has_victory_path(after)) points += 5;
        if (after.king != before.king && in_centre(after.king)) points += 1;
        return points;
    }

    // The throne and its four neighbours.
    bool in_centre(int square) const { return Tablut::distance(square, game_.rules().throne) <= 1; }

    const Tablut& game_;
    TablutTactics tactics_;
};

}  // namespace boardwright
