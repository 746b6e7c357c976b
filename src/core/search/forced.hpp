// Forced wins by full search: slow, exact, and without knowledge of the game; tests compare other code with it.
#pragma once

#include "../game.hpp"

namespace boardwright {

// Whether `role` wins within `plies` actions against every defence, or has won already.
template <Game G>
bool forced_win(Line<G>& line, Role role, int plies) {
    if (line.over()) return line.now().result == win_for(role);
    if (plies == 0) return false;
    const bool own = line.now().to_move == role;
    bool wins = !own;
    line.each_action([&](Action action) {
        if (wins == own) return;  // decided
        line.play(action);
        wins = forced_win(line, role, plies - 1);
        line.undo();
    });
    return wins;
}

}  // namespace boardwright
