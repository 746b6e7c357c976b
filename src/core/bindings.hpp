// What the bindings of all games share: every game gets the same position class, made from one template.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "game.hpp"
#include "perft.hpp"
#include "search/rollout.hpp"
#include "signals.hpp"

namespace boardwright {

namespace nb = nanobind;
using namespace nb::literals;

constexpr int kMostThreads = 256;

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

template <Game G>
std::vector<Action> sorted_actions(const Line<G>& line) {
    std::vector<Action> actions;
    line.each_action([&](Action action) { actions.push_back(action); });
    std::sort(actions.begin(), actions.end());
    return actions;
}

template <Game G>
void check_legal(const Line<G>& line, Action action) {
    if (!line.game().is_legal(line.now(), action)) {
        throw std::invalid_argument("illegal action " + std::to_string(action));
    }
}

template <Game G>
void check_role(Role role) {
    if (role != 0 && role != 1) throw std::invalid_argument("a role is 0 or 1");
}

inline nb::tuple tuple_of(const RolloutReport& report) {
    return nb::make_tuple(report.actions, report.visits, report.values, report.principal_variation,
                          report.simulations);
}

// `watch`, a Python callable or None, is called some forty times a second with the report of the calling
// thread's tree, and answers whether to stop.
template <Game G, class Rollouts>
nb::tuple monte_carlo(const Position<G>& position, std::uint64_t seed, std::uint64_t simulations, double seconds,
                      bool losses_count, bool log_of_children, bool foresee, bool prove,
                      std::optional<int> depth, std::vector<Action> root_actions, int threads, nb::object watch) {
    if (position.line.over()) throw std::invalid_argument("the game is over");
    if (simulations == 0 && !(seconds > 0)) throw std::invalid_argument("the search needs a limit");
    if (threads < 1 || threads > kMostThreads) throw std::invalid_argument("no such number of threads");
    for (const Action action : root_actions) check_legal(position.line, action);
    const RolloutOptions options{losses_count, log_of_children, foresee, prove,
                                 depth.value_or(Rollouts::kDepth), threads, std::move(root_actions)};
    SignalCheck check;
    const Role to_move = position.line.now().to_move;
    const auto stop = [&](const RolloutTree<G, Rollouts>& tree) {
        if (!check.due()) return false;
        nb::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return !watch.is_none() && nb::cast<bool>(watch(tuple_of(report_of(std::array{&tree}, to_move))));
    };
    RolloutReport report;
    {
        nb::gil_scoped_release release;
        report = rollout_search<Rollouts>(position.line, options, {simulations, seconds}, seed, stop);
    }
    return tuple_of(report);
}

// Binds what every game has; the caller adds what only its game has.
template <Game G, class Rollouts = PlainRollouts<G>>
nb::class_<Position<G>> bind_position(nb::module_& module, const char* name) {
    using P = Position<G>;
    return nb::class_<P>(module, name)
        .def_prop_ro("role_to_move", [](const P& p) { return int{p.line.now().to_move}; })
        .def_prop_ro("result", [](const P& p) { return static_cast<int>(p.line.now().result); })
        .def_prop_ro("reason", [](const P& p) { return int{p.line.now().reason}; })
        .def_prop_ro("hash", [](const P& p) { return p.line.now().hash; })
        .def_prop_ro("plies", [](const P& p) { return p.line.now().plies; })
        .def_prop_ro("continues", [](const P& p) { return bool{p.line.now().continues}; })
        .def_prop_ro("last_action", [](const P& p) { return p.line.now().action; })
        .def("actions",
             [](const P& p) {
                 std::vector<Action> actions;
                 for (const auto& state : p.line.states().subspan(1)) actions.push_back(state.action);
                 return actions;
             })
        .def("first", [](const P& p) { return P{p.game, Line<G>(*p.game, p.line.states().front())}; })
        .def("count_actions", [](const P& p) { return p.line.count_actions(); })
        .def("legal_actions", [](const P& p) { return sorted_actions(p.line); })
        .def("legal_mask",
             [](const P& p) {
                 const auto actions = static_cast<std::size_t>(p.game->actions());
                 auto mask = std::make_unique<bool[]>(actions);
                 p.line.each_action([&](Action action) { mask[action] = true; });
                 return numpy_array(std::move(mask), std::array<std::size_t, 1>{actions});
             })
        .def("is_legal", [](const P& p, Action a) { return p.game->is_legal(p.line.now(), a); },
             "action"_a)
        .def("play",
             [](const P& p, Action action) {
                 check_legal(p.line, action);
                 P after = p;
                 after.line.play(action);
                 return after;
             },
             "action"_a)
        .def("under", [](const P& p, std::shared_ptr<const G> game) { return P{game, Line<G>(*game, p.line)}; }, "game"_a)
        .def("observe",
             [](const P& p, Role role) {
                 check_role<G>(role);
                 const auto shape = p.game->observation_shape();
                 auto planes = std::make_unique<float[]>(shape[0] * shape[1] * shape[2]);
                 p.game->observe(p.line.states(), role, planes.get());
                 return numpy_array(std::move(planes), shape);
             },
             "role"_a)
        .def("routes",
             [](const P& p) {
                 std::vector<std::vector<Action>> routes;
                 Line<G> line = p.line;
                 each_route(line, [&](std::span<const Action> route) {
                     routes.emplace_back(route.begin(), route.end());
                 });
                 return routes;
             })
        .def("perft",
             [](const P& p, int depth, bool distinct) {
                 if (depth < 0) throw std::invalid_argument("depth must not be negative");
                 Line<G> line = p.line;
                 SignalCheck tick;
                 nb::gil_scoped_release release;
                 return distinct ? perft_distinct(line, depth, tick) : perft(line, depth, tick);
             },
             "depth"_a, "distinct"_a = false)
        .def("playouts",
             [](const P& p, std::uint64_t seed, std::uint64_t first_game, std::uint64_t games) {
                 PlayoutTally tally;
                 {
                     nb::gil_scoped_release release;
                     tally = playouts(p.line, seed, first_game, games);
                 }
                 return nb::make_tuple(tally.outcomes, tally.plies, tally.actions, tally.choices);
             },
             "seed"_a, "first_game"_a, "games"_a)
        .def("monte_carlo", &monte_carlo<G, Rollouts>, "seed"_a, "simulations"_a, "seconds"_a, nb::kw_only(),
             "losses_count"_a = true, "log_of_children"_a = false, "foresee"_a = false, "prove"_a = false,
             "depth"_a = nb::none(), "root_actions"_a = std::vector<Action>(), "threads"_a = 1,
             "watch"_a = nb::none());
}

}  // namespace boardwright
