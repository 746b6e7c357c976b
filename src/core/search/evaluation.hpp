// What searches need to know of a game beyond its rules: how good a position looks, in which order to try
// moves, which of them are too sharp to stop at, and what is sure. PUCT asks for the last alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../game.hpp"

namespace boardwright {

// Scores are whole numbers from the side of the role to move; a hundred is about a man. Beyond
// kDecided somebody wins by force, and kWin less the score is in how many actions.
constexpr int kWin = 32000, kDecided = 30000, kMostStatic = 20000;

// A legal action and how early to try it. At kSharp and above it is one that quiescence must look at.
struct OrderedAction {
    Action action;
    std::int32_t order;
};
constexpr std::int32_t kSharp = 1 << 24;

using ActionList = std::vector<OrderedAction>;

// Each game specialises this:
//
//   explicit Evaluator(const G&, …)
//   const G& game()                      the game it was made for
//   int value(const State&)              static score of an ongoing state, at most kMostStatic
//   std::uint64_t key(const State&)      what the transposition table knows it by: the hash, and how
//                                        near a limit on the game's length is where that matters
//   void list(const State&, ActionList&) every legal action
//   void list_sharp(const State&, ActionList&)  those that quiescence looks at
//   void list_winning(const State&, ActionList&)  those that may win the game at once, cheap to tell; none if none are
//   bool is_forced(const State&)         whether the role to move may not decline the sharp ones
//   bool repeats_to_draw()               whether coming back to a position leads to a draw
//   std::optional<int> known(const State&, int ply)  a score from tables, exact
//   static constexpr double kScale       the score that is worth about +0.76 of a game
//
// It may keep scratch memory: every thread has its own copy.
template <Game G>
class Evaluator;

// Mixes the number of plies left before a limit into a key, but only where the search could reach it.
inline std::uint64_t near_limit(std::uint32_t done, int limit) {
    constexpr std::uint32_t kHorizon = 24;
    if (limit == 0 || done + kHorizon < static_cast<std::uint32_t>(limit)) return 0;
    return (done + 1) * 0x9E3779B97F4A7C15ull;
}

}  // namespace boardwright
