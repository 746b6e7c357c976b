// Perft, forced wins by full search and random playouts: tests and benchmarks of an engine.
#pragma once

#include <algorithm>

#include "game.hpp"
#include "random.hpp"

namespace boardwright {

// Number of lines of exactly `depth` whole moves. The last one is counted, not played, and the one
// before it never reaches the stack. `tick` is called every few thousand lines and may throw.
template <Game G, class Tick>
std::uint64_t perft(Line<G>& line, int depth, Tick& tick) {
    if (depth == 0) return 1;
    if (depth == 1) return static_cast<std::uint64_t>(line.count_moves());
    if (depth == 3) tick();
    std::uint64_t leaves = 0;
    line.each_action([&](Action action) {
        if (depth == 2) {
            const auto after = line.game().next(line.states(), action);
            if (!after.continues) {
                if (after.result == Result::kOngoing) leaves += line.game().count_moves(after);
                return;
            }
        }
        line.play(action);
        leaves += perft(line, line.now().continues ? depth : depth - 1, tick);
        line.undo();
    });
    return leaves;
}

// Calls visit(actions) for every whole move from line.now(), while the line is after that move.
template <Game G, class Visit>
void each_route(Line<G>& line, Visit&& visit) {
    std::vector<Action> route;
    const auto extend = [&](auto& self) -> void {
        line.each_action([&](Action action) {
            line.play(action);
            route.push_back(action);
            if (line.now().continues) {
                self(self);
            } else {
                visit(std::span<const Action>(route));
            }
            route.pop_back();
            line.undo();
        });
    };
    extend(extend);
}

// As perft, but routes that lead to the same position are one move.
template <Game G, class Tick>
std::uint64_t perft_distinct(Line<G>& line, int depth, Tick& tick) {
    if (depth == 0) return 1;
    if (depth == 1) return static_cast<std::uint64_t>(line.count_distinct_moves());
    if (depth == 3) tick();
    const bool all_differ = line.count_distinct_moves() == line.count_moves();
    std::vector<std::uint64_t> reached;
    std::uint64_t leaves = 0;
    each_route(line, [&](std::span<const Action>) {
        if (!all_differ) {
            const std::uint64_t hash = line.now().hash;
            if (std::find(reached.begin(), reached.end(), hash) != reached.end()) return;
            reached.push_back(hash);
        }
        leaves += perft_distinct(line, depth - 1, tick);
    });
    return leaves;
}

// Whether `role` wins within `plies` actions against every defence, or has won already: by full search, slow and
// without knowledge of the game.
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

struct PlayoutTally {
    std::array<std::uint64_t, 3> outcomes{};  // by Result: role 0 wins, role 1 wins, draws
    std::uint64_t plies = 0;                  // whole moves
    std::uint64_t actions = 0;
    std::uint64_t choices = 0;                // legal actions summed over all actions
};

// Plays games `first_game` .. `first_game + games - 1` of a seeded series with uniformly random
// actions. Each game has its own random stream, so a series can be cut into pieces at will.
template <Game G>
PlayoutTally playouts(const Line<G>& from, std::uint64_t seed, std::uint64_t first_game, std::uint64_t games) {
    PlayoutTally tally;
    Line<G> line = from;
    for (std::uint64_t game = first_game; game < first_game + games; ++game) {
        Random random(seed, game);
        line.reset(from.length());
        while (!line.over()) {
            const int choices = line.count_actions();
            line.play(line.game().nth_action(line.now(), random.below(choices)));
            tally.choices += static_cast<std::uint64_t>(choices);
            ++tally.actions;
        }
        tally.plies += static_cast<std::uint64_t>(line.now().plies - from.now().plies);
        ++tally.outcomes[static_cast<std::size_t>(line.now().result)];
    }
    return tally;
}

}  // namespace boardwright
