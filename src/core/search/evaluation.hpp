// The knowledge of a game that searches need beyond its rules: static evaluation, move ordering, the moves that
// quiescence searches, and proven results. PUCT uses proven results only.
#pragma once

#include <optional>
#include <string>

#include "game.hpp"

namespace boardwright {

// Scores are whole numbers for the role to move; a hundred is about a man. Static scores are at most kMaxStatic,
// scores of endgame tables lie between it and kDecided, and a win in n actions is kWin - n.
constexpr int kWin = 32000, kDecided = 30000, kMaxStatic = 20000;

constexpr bool is_decided(int score) { return score > kDecided || score < -kDecided; }
constexpr bool is_proven(int score) { return score > kMaxStatic || score < -kMaxStatic; }

// A legal action and how early to try it. Quiescence searches those at kSharp and above.
struct OrderedAction {
    Action action;
    std::int32_t order;
};
constexpr std::int32_t kSharp = 1 << 24;

using ActionList = std::vector<OrderedAction>;

// Each game specialises this, with a constructor whose first argument is a const G&. It may hold scratch memory:
// every thread has its own copy.
template <Game G>
class Evaluator;

// The interface of a specialisation.
template <class E, class G>
concept Evaluation =
    std::copy_constructible<E> && requires(E& evaluator, const typename G::State& state, ActionList& actions, int ply) {
        { evaluator.game() } -> std::same_as<const G&>;  // the game it was made for

    // Static score of an ongoing state, at most kMaxStatic, and the score whose expected result is tanh(1).
        { evaluator.value(state) } -> std::same_as<int>;
        { E::kScale } -> std::convertible_to<double>;
        // The key of a state in the transposition table: its hash and, where that matters, the plies left to a limit.
        { evaluator.key(state) } -> std::same_as<std::uint64_t>;
        // These append to the list: every legal action; those that quiescence searches; and candidates for an immediate
        // win, found cheaply. The last two may append none.
        { evaluator.list(state, actions) } -> std::same_as<void>;
        { evaluator.list_sharp(state, actions) } -> std::same_as<void>;
        { evaluator.list_winning(state, actions) } -> std::same_as<void>;
        { evaluator.is_forced(state) } -> std::same_as<bool>;    // whether the role to move must play a sharp action
        { evaluator.repeats_to_draw() } -> std::same_as<bool>;   // whether repeating a position leads to a draw
    // The exact score from endgame tables of a state `ply` actions from the root.
        { evaluator.known(state, ply) } -> std::same_as<std::optional<int>>;
    };

// Mixes the number of plies left before a limit into a key, but only where the search could reach it.
inline std::uint64_t near_limit(std::uint32_t done, int limit) {
    constexpr std::uint32_t kHorizon = 24;
    if (limit == 0 || done + kHorizon < static_cast<std::uint32_t>(limit)) return 0;
    return (done + 1) * 0x9E3779B97F4A7C15ull;
}

}  // namespace boardwright
