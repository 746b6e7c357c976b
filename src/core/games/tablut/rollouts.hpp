// Tablut knowledge for Monte Carlo search: short simulations, and wins proven before they are played.
#pragma once

#include "games/tablut/tactics.hpp"
#include "search/rollout.hpp"

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

    // A forced escape: by two threats at 64 visits, three at 512, four at 4096 and so on.
    Result search_for_proof(const Line<Tablut>& line, std::uint32_t visits) const {
        constexpr std::uint32_t kFirst = 64;
        if (visits < kFirst || !std::has_single_bit(visits) || line.now().to_move != kDefenders)
            return Result::kOngoing;
        const int doublings = std::countr_zero(visits);
        if (doublings % 3 != 0) return Result::kOngoing;
        Line<Tablut> ahead = line;
        return TablutEscape(line.game()).forced(ahead, doublings / 3) ? win_for(kDefenders) : Result::kOngoing;
    }

    Action choose(const Line<Tablut>& line, Random& random) const {
        return line.game().pick_action(line.now(), [&](int count) { return random.below(count); });
    }

  private:
    TablutTactics tactics_;
};

}  // namespace boardwright
