// A game in the scalar engine: the concept every game satisfies, and the line of play that perft, playouts and
// searches walk along.
//
// A game object holds one rule set. Positions are small copyable states; the past (for repetitions, for history
// planes) is the stack of earlier states, never hidden inside a state.
// Moves are action numbers, the same as in the batched engine. Text belongs to Python.
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace boardwright {

using Action = std::int32_t;
constexpr Action kNoAction = -1;

// Who is to move: role 0, role 1, or chance. A role may move several times in a row.
using Role = std::int8_t;
constexpr Role kChance = -1;

// The result of a game. The two wins have the number of the role that won.
enum class Result : std::int8_t { kFirstRoleWins = 0, kSecondRoleWins = 1, kDraw = 2, kOngoing = 3 };

constexpr Result win_for(int role) { return static_cast<Result>(role); }

// Whether a count of plies has reached a limit; 0 is no limit.
constexpr bool reaches(std::uint32_t plies, int limit) {
    return limit > 0 && plies >= static_cast<std::uint32_t>(limit);
}

template <class G>
concept Game = requires(const G& game, const typename G::State& state, std::span<const typename G::State> line,
                        Action action, int n, Role role, float* planes, void (&visit)(Action)) {
    // The state's own fields that generic code reads.
    { state.to_move } -> std::convertible_to<Role>;
    { state.result } -> std::convertible_to<Result>;
    { state.reason } -> std::convertible_to<int>;
    { state.hash } -> std::convertible_to<std::uint64_t>;
    { state.plies } -> std::convertible_to<int>;
    { state.action } -> std::convertible_to<Action>;
    // Whether the role to move is in the middle of a move that takes several actions.
    { state.continues } -> std::convertible_to<bool>;

    { game.actions() } -> std::convertible_to<int>;  // how many there are

    { game.start() } -> std::same_as<typename G::State>;
    // The state after `action` in line.back(); the whole line decides repetitions.
    { game.next(line, action) } -> std::same_as<typename G::State>;
    { game.is_legal(state, action) } -> std::same_as<bool>;
    // Legal actions of an ongoing state: how many, the n-th in a fixed order, or each in that order.
    { game.count_actions(state) } -> std::same_as<int>;
    { game.nth_action(state, n) } -> std::same_as<Action>;
    { game.each_action(state, visit) } -> std::same_as<void>;  // a template: visitors are lambdas
    // Whole moves: consecutive actions of one move count once.
    { game.count_moves(state) } -> std::same_as<int>;
    // The same, but moves that lead to the same position count once.
    { game.count_distinct_moves(state) } -> std::same_as<int>;
    { game.observation_shape() } -> std::same_as<std::array<std::size_t, 3>>;  // rows, columns, planes
    { game.observe(line, role, planes) } -> std::same_as<void>;
};

// A game from some first state to now. The stack of states is the past.
template <Game G>
class Line {
  public:
    using State = typename G::State;

    explicit Line(const G& game, State first) : game_(&game) { states_.push_back(first); }
    // The same line in a game of the same rules, with room for `more` actions.
    Line(const G& game, const Line& other, std::size_t more = 0) : game_(&game) {
        states_.reserve(other.length() + more);
        states_.assign(other.states_.begin(), other.states_.end());
    }

    const G& game() const { return *game_; }
    const State& now() const { return states_.back(); }
    bool over() const { return now().result != Result::kOngoing; }
    std::span<const State> states() const { return states_; }

    void play(Action action) {
        assert(game_->is_legal(now(), action));
        states_.push_back(game_->next(states_, action));
    }
    void undo() {
        assert(length() > 1);
        states_.pop_back();
    }
    void reset(std::size_t length) { states_.resize(length); }
    void reserve(std::size_t length) { states_.reserve(length); }  // up to it, now() stays where it is
    std::size_t length() const { return states_.size(); }

    // Every legal action, in the game's order; none when the game is over. The visitor may play on
    // this line, which moves the stack in memory: hence the copy.
    template <class Visit>
    void each_action(Visit&& visit) const {
        const State state = now();
        if (state.result == Result::kOngoing) game_->each_action(state, std::forward<Visit>(visit));
    }

    int count_actions() const { return over() ? 0 : game_->count_actions(now()); }
    int count_moves() const { return over() ? 0 : game_->count_moves(now()); }
    int count_distinct_moves() const { return over() ? 0 : game_->count_distinct_moves(now()); }

  private:
    const G* game_;
    std::vector<State> states_;
};

}  // namespace boardwright
