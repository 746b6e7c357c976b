// Counting leaves and playing at random: how an engine is proven right and how fast it is measured.
#pragma once

#include <array>
#include <cstdint>

#include "game.hpp"
#include "random.hpp"

namespace boardwright {

// Number of lines of exactly `depth` plies. The last ply is counted, not played.
template <Game G>
std::uint64_t perft(Line<G>& line, int depth) {
    if (depth == 0) return 1;
    if (depth == 1) return static_cast<std::uint64_t>(line.count_actions());
    std::uint64_t leaves = 0;
    line.each_action([&](Action action) {
        line.play(action);
        leaves += perft(line, depth - 1);
        line.undo();
    });
    return leaves;
}

struct PlayoutTally {
    std::array<std::uint64_t, 3> outcomes{};  // by Result: role 0 wins, role 1 wins, draws
    std::uint64_t plies = 0;
    std::uint64_t choices = 0;                // legal actions summed over all plies
};

// Plays games `first_game` .. `first_game + games - 1` of a seeded series with uniformly random
// actions. Each game has its own random stream, so a series can be cut into pieces at will.
template <Game G>
PlayoutTally playouts(const Line<G>& from, std::uint64_t seed, std::uint64_t first_game,
                      std::uint64_t games) {
    PlayoutTally tally;
    Line<G> line = from;
    for (std::uint64_t game = first_game; game < first_game + games; ++game) {
        Random random(seed, game);
        line.reset(from.length());
        while (!line.over()) {
            const int choices = line.count_actions();
            line.play(line.game().nth_action(line.now(), random.below(choices)));
            tally.choices += static_cast<std::uint64_t>(choices);
            ++tally.plies;
        }
        ++tally.outcomes[static_cast<std::size_t>(line.now().result)];
    }
    return tally;
}

}  // namespace boardwright
