// Forced escapes in Tablut that are longer than a victory path: the defenders threaten one, move after move,
// until a threat cannot be parried.
#pragma once

#include "game.hpp"
#include "tablut_tactics.hpp"

namespace boardwright {

// Searches only the defenders' moves that threaten a victory path, but every reply, so its results are proven,
// and quick: three threats, a win in up to eleven plies, mostly take less than a millisecond. Wins that need a
// quiet move are not found.
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
