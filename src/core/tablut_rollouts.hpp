// Tablut for the Monte Carlo search: short simulations, and wins seen before they are played.
#pragma once

#include "search/rollout.hpp"
#include "tablut_tactics.hpp"

namespace boardwright {

class TablutRollouts : public PlainRollouts<Tablut> {
  public:
    explicit TablutRollouts(const Tablut& game) : PlainRollouts(game), tactics_(game) {}

    static constexpr int kDepth = 8;  // the paper's

    // A victory path with defenders to move is theirs; a king who can be captured, the attackers'.
    Result foresee(const Line<Tablut>& line) const {
        if (line.now().to_move == kDefenders) {
            return tactics_.victory_path(line.states()).found() ? win_for(kDefenders) : Result::kOngoing;
        }
        return tactics_.king_can_be_captured(line.now()) ? win_for(kAttackers) : Result::kOngoing;
    }

    Action choose(const Line<Tablut>& line, Random& random) const {
        return line.game().pick_action(line.now(), [&](int count) { return random.below(count); });
    }

  private:
    TablutTactics tactics_;
};

}  // namespace boardwright
