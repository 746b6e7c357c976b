// What searches need to know of a game beyond its rules: how good a position looks, in which order to try
// moves, which of them are too sharp to stop at, and what is sure. PUCT asks for the last alone.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

// Each game specialises this, with a constructor that begins with a const G&. It may keep scratch memory: every
// thread has its own copy.
template <Game G>
class Evaluator;

// What such a specialisation offers.
template <class E, class G>
concept Evaluation = std::copy_constructible<E> &&
                     requires(E& evaluator, const typename G::State& state, ActionList& actions, int ply) {
    { evaluator.game() } -> std::same_as<const G&>;  // the game it was made for

    // Static score of an ongoing state, at most kMostStatic, and the score that is worth about +0.76 of a game.
    { evaluator.value(state) } -> std::same_as<int>;
    { E::kScale } -> std::convertible_to<double>;
    // What the score is made of, whole numbers that may be weighed, and what each of them is called.
    { evaluator.features(state).size() } -> std::convertible_to<std::size_t>;
    { evaluator.features(state)[0] } -> std::convertible_to<int>;
    { E::kNames[0] } -> std::convertible_to<std::string>;

    // What the transposition table knows a state by: the hash, and how near a limit on the game's length is where
    // that matters.
    { evaluator.key(state) } -> std::same_as<std::uint64_t>;
    // These add to the list: every legal action; those that quiescence looks at; and those that may win the game at
    // once, cheap to tell. The last two may be none.
    { evaluator.list(state, actions) } -> std::same_as<void>;
    { evaluator.list_sharp(state, actions) } -> std::same_as<void>;
    { evaluator.list_winning(state, actions) } -> std::same_as<void>;
    { evaluator.is_forced(state) } -> std::same_as<bool>;    // whether the role to move may not decline the sharp ones
    { evaluator.repeats_to_draw() } -> std::same_as<bool>;   // whether coming back to a position leads to a draw
    // A score from tables, exact, of a state so many actions from the root.
    { evaluator.known(state, ply) } -> std::same_as<std::optional<int>>;
};

// Mixes the number of plies left before a limit into a key, but only where the search could reach it.
inline std::uint64_t near_limit(std::uint32_t done, int limit) {
    constexpr std::uint32_t kHorizon = 24;
    if (limit == 0 || done + kHorizon < static_cast<std::uint32_t>(limit)) return 0;
    return (done + 1) * 0x9E3779B97F4A7C15ull;
}

}  // namespace boardwright
