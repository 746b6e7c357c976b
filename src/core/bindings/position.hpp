// Shared bindings: every game gets the same position class, made from one template.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "bindings/signals.hpp"
#include "game.hpp"
#include "perft.hpp"
#include "search/rollout.hpp"

namespace boardwright {

namespace nb = nanobind;
using namespace nb::literals;

constexpr int kMaxThreads = 256;

inline void require(bool condition, const std::string& message) {
    if (!condition) throw std::invalid_argument(message);
}
inline void check_role(Role role) { require(role == 0 || role == 1, "role must be 0 or 1"); }
inline int checked_threads(int threads) {
    require(threads >= 1 && threads <= kMaxThreads, "threads must be from 1 to 256, got " + std::to_string(threads));
    return threads;
}

// Reads a value of a Python object: a number, a flag, a mask of squares, or sequences of them. Not inlined: that would
// use up the compiler's budget for the engine in the same file.
template <class T>
[[gnu::noinline]] void read_value(nb::handle value, T& out) {
    if constexpr (std::is_same_v<T, Squares>) {
        const auto mask = nb::cast<nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(value);
        for (std::size_t i = 0; i < mask.shape(0); ++i) {
            if (mask.data()[i]) out |= Squares::of(static_cast<int>(i));
        }
    } else if constexpr (requires { out.begin(); }) {
        if constexpr (requires { out.resize(1); }) out.resize(nb::len(value));
        for (std::size_t i = 0; i < out.size(); ++i) read_value(value[nb::int_(i)], out[i]);
    } else if constexpr (std::is_same_v<T, bool>) {
        out = PyObject_IsTrue(value.ptr()) == 1;  // also of numpy's bool
    } else {
        out = nb::cast<T>(value);
    }
}

// Reads attributes into fields: FieldReader{tables}("size", t.size)("first", t.first).
struct FieldReader {
    nb::handle object;

    template <class T>
    [[gnu::noinline]] const FieldReader& operator()(const char* name, T& field) const {
        read_value(nb::object(object.attr(name)), field);
        return *this;
    }
};

// One game object may serve many positions; each keeps it alive.
template <Game G>
struct Position {
    std::shared_ptr<const G> game;
    Line<G> line;
};

template <class T, std::size_t Rank>
auto numpy_array(std::unique_ptr<T[]> data, const std::array<std::size_t, Rank>& shape) {
    T* raw = data.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<Rank>>(raw, Rank, shape.data(), owner);
}

// Reads a field of the current state: for properties of positions.
template <auto Field, Game G>
auto now(const Position<G>& p) {
    return p.line.now().*Field;
}

// The methods of a position that are longer than a line.
template <Game G, class Rollouts>
struct PositionMethods {
    using P = Position<G>;
    using Watch = nb::typed<nb::callable, bool(RolloutReport)>;

    static void check_legal(const Line<G>& line, Action action) {
        require(line.game().is_legal(line.now(), action), "illegal action " + std::to_string(action));
    }

    static std::vector<Action> actions(const P& p) {
        std::vector<Action> actions;
        for (const auto& state : p.line.states().subspan(1)) actions.push_back(state.action);
        return actions;
    }

    static std::vector<Action> legal_actions(const P& p) {
        std::vector<Action> actions;
        p.line.each_action([&](Action action) { actions.push_back(action); });
        std::sort(actions.begin(), actions.end());
        return actions;
    }

    static auto legal_mask(const P& p) {
        const auto actions = static_cast<std::size_t>(p.game->actions());
        auto mask = std::make_unique<bool[]>(actions);
        p.line.each_action([&](Action action) { mask[action] = true; });
        return numpy_array(std::move(mask), std::array<std::size_t, 1>{actions});
    }

    static P play(const P& p, Action action) {
        check_legal(p.line, action);
        P after{p.game, Line<G>(*p.game, p.line, 1)};
        after.line.play(action);
        return after;
    }

    static P play_all(const P& p, const std::vector<Action>& actions) {
        P after{p.game, Line<G>(*p.game, p.line, actions.size())};
        for (const Action action : actions) {
            check_legal(after.line, action);
            after.line.play(action);
        }
        return after;
    }

    static auto observe(const P& p, Role role) {
        check_role(role);
        const auto shape = p.game->observation_shape();
        auto planes = std::make_unique<float[]>(shape[0] * shape[1] * shape[2]);
        p.game->observe(p.line.states(), role, planes.get());
        return numpy_array(std::move(planes), shape);
    }

    static std::vector<std::vector<Action>> routes(const P& p) {
        std::vector<std::vector<Action>> routes;
        Line<G> line = p.line;
        each_route(line, [&](std::span<const Action> route) { routes.emplace_back(route.begin(), route.end()); });
        return routes;
    }

    static std::uint64_t count_leaves(const P& p, int depth, bool distinct) {
        require(depth >= 0, "depth must not be negative");
        Line<G> line = p.line;
        SignalCheck tick;
        nb::gil_scoped_release release;
        return distinct ? perft_distinct(line, depth, tick) : perft(line, depth, tick);
    }

    static PlayoutTally play_out(const P& p, std::uint64_t seed, std::uint64_t first_game, std::uint64_t games) {
        nb::gil_scoped_release release;
        return playouts(p.line, seed, first_game, games);
    }

    static RolloutReport monte_carlo(const P& p, std::uint64_t seed, std::uint64_t simulations, double seconds,
                                     bool losses_count, bool log_of_children, bool foresee, bool prove,
                                     std::optional<int> depth, std::vector<Action> root_actions, int threads,
                                     const std::optional<Watch>& watch) {
        require(!p.line.over(), "the game is over");
        require(simulations > 0 || seconds > 0, "set a limit: simulations or seconds");
        for (const Action action : root_actions) check_legal(p.line, action);
        const RolloutOptions options{.losses_count = losses_count,
                                     .log_of_children = log_of_children,
                                     .foresee = foresee,
                                     .prove = prove,
                                     .depth = depth.value_or(Rollouts::kDepth),
                                     .threads = checked_threads(threads),
                                     .root_actions = std::move(root_actions)};
        SignalCheck check;
        const auto stop = [&](const RolloutTree<G, Rollouts>& tree) {
            return check([&] {
                return watch && nb::cast<bool>((*watch)(report_of(std::array{&tree}, p.line.now().to_move)));
            });
        };
        nb::gil_scoped_release release;
        return rollout_search<Rollouts>(p.line, options, {simulations, seconds}, seed, stop);
    }
};

// Binds the members that every position class has; the caller adds those of its game.
template <Game G, class Rollouts = PlainRollouts<G>>
nb::class_<Position<G>> bind_position(nb::module_& module, const char* name) {
    using P = Position<G>;
    using State = typename G::State;
    using M = PositionMethods<G, Rollouts>;
    return nb::class_<P>(module, name, "A position and the line of play that led to it; immutable.")
        .def_prop_ro("role_to_move", &now<&State::to_move, G>, "0, 1, or -1 for chance")
        .def_prop_ro(
            "result", [](const P& p) { return static_cast<int>(p.line.now().result); },
            "The role that won, 2 for a draw, 3 while the game is ongoing")
        .def_prop_ro("reason", &now<&State::reason, G>, "Index into `Game.reasons`")
        .def_prop_ro("hash", &now<&State::hash, G>)
        .def_prop_ro("plies", &now<&State::plies, G>, "Whole moves since the start of the game")
        .def_prop_ro(
            "continues", [](const P& p) { return bool{p.line.now().continues}; },
            "Whether the role to move is in the middle of a move")
        .def_prop_ro("last_action", &now<&State::action, G>, "-1 in a first position")
        .def("actions", &M::actions, "The actions of the line")
        .def(
            "first", [](const P& p) { return P{p.game, Line<G>(*p.game, p.line.states().front())}; },
            "The first position of the line")
        .def("count_actions", [](const P& p) { return p.line.count_actions(); })
        .def("legal_actions", &M::legal_actions, "In ascending order; empty when the game is over")
        .def("legal_mask", &M::legal_mask, "[num_actions]")
        .def(
            "is_legal", [](const P& p, Action a) { return p.game->is_legal(p.line.now(), a); }, "action"_a)
        .def("play", &M::play, "action"_a, "The position after an action; raises ValueError for an illegal one")
        .def("play_all", &M::play_all, "actions"_a,
             "The position after several actions; raises ValueError at the first illegal one")
        .def(
            "under",
            [](const P& p, std::shared_ptr<const G> game) {
                const bool fits = game->actions() == p.game->actions() && game->start().hash == p.game->start().hash;
                require(fits, "the position is of a game with other rules");
                return P{game, Line<G>(*game, p.line)};
            },
            "game"_a, "The same line in an engine with the same rules and another observation")
        .def("observe", &M::observe, "role"_a, "[rows, columns, planes]")
        .def("routes", &M::routes, "The actions of every whole move")
        .def("perft", &M::count_leaves, "depth"_a, "distinct"_a = false)
        .def("playouts", &M::play_out, "seed"_a, "first_game"_a, "games"_a)
        .def("monte_carlo", &M::monte_carlo, "seed"_a, "simulations"_a, "seconds"_a, nb::kw_only(),
             "losses_count"_a = true, "log_of_children"_a = false, "foresee"_a = false, "prove"_a = false,
             "depth"_a = nb::none(), "root_actions"_a = std::vector<Action>(), "threads"_a = 1, "watch"_a = nb::none(),
             "See src/core/search/rollout.hpp. A limit of 0 means no limit. `watch` is called about 40 times a second "
             "with the report of one thread's tree; the search stops when it returns true");
}

// Binds the engine of a game, which is made from the `Tables` of its rules.py; the caller adds `setup`.
template <Game G, class Tables>
nb::class_<G> bind_game(nb::module_& module, const char* name, Tables (*read)(nb::handle)) {
    return nb::class_<G>(module, name, "The engine of one rule set and observation.")
        .def(
            "__init__", [read](G* self, nb::handle tables) { new (self) G(read(tables)); }, "tables"_a)
        .def("start", [](std::shared_ptr<const G> game) { return Position<G>{game, Line<G>(*game, game->start())}; });
}

}  // namespace boardwright
