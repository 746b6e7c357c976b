// The compiled module: result types that all games share; the bindings of each game are in a file of their own.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include "perft.hpp"
#include "search/alphabeta.hpp"
#include "search/puct_report.hpp"
#include "search/rollout.hpp"

namespace boardwright {

namespace nb = nanobind;

void bind_tablut(nb::module_& module);
void bind_draughts(nb::module_& module);
void bind_cathedral(nb::module_& module);
void bind_tablebase(nb::module_& module);

void bind_reports(nb::module_& module) {
    nb::class_<PlayoutTally>(module, "PlayoutTally", "Totals of random playouts.")
        .def_ro("outcomes", &PlayoutTally::outcomes, "Games won by role 0, won by role 1, and drawn")
        .def_ro("plies", &PlayoutTally::plies, "Whole moves played")
        .def_ro("actions", &PlayoutTally::actions, "Actions played")
        .def_ro("choices", &PlayoutTally::choices, "Legal actions summed over all actions played");
    nb::class_<RolloutReport>(module, "RolloutReport", "The result of a Monte Carlo tree search.")
        .def_ro("actions", &RolloutReport::actions, "Actions at the root")
        .def_ro("visits", &RolloutReport::visits, "Simulations of each action")
        .def_ro("values", &RolloutReport::values, "Of each action for the role to move; 1 and -1 are proven")
        .def_ro("principal_variation", &RolloutReport::principal_variation, "Begins with the best action")
        .def_ro("simulations", &RolloutReport::simulations, "Simulations done");
    nb::class_<SearchReport>(module, "SearchReport", "The result of an alpha-beta search.")
        .def_ro("principal_variation", &SearchReport::principal_variation, "Begins with the best action")
        .def_ro("score", &SearchReport::score, "For the role to move; see `games.engines.AlphaBetaSearch`")
        .def_ro("depth", &SearchReport::depth, "Whole moves searched completely")
        .def_ro("nodes", &SearchReport::nodes, "Positions searched, by all threads")
        .def_ro("seconds", &SearchReport::seconds, "Time taken");
    nb::class_<PuctReport>(module, "PuctReport", "The result of a PUCT or Gumbel search.")
        .def_ro("actions", &PuctReport::actions, "Actions at the root, by decreasing prior")
        .def_ro("visits", &PuctReport::visits, "Simulations of each action")
        .def_ro("values", &PuctReport::values, "Of each action for the role to move; 1 and -1 are proven")
        .def_ro("policy", &PuctReport::policy, "Share of the visits, or the improved policy of a Gumbel search")
        .def_ro("principal_variation", &PuctReport::principal_variation, "Begins with the best action")
        .def_ro("value", &PuctReport::value, "Of the best action for the role to move")
        .def_ro("simulations", &PuctReport::simulations, "Simulations of this search")
        .def_ro("evaluations", &PuctReport::evaluations, "Positions evaluated by this search");
}

NB_MODULE(_core, module) {
    module.doc() = "Boardwright's scalar engine: one game at a time. Built from src/core.";
    nb::set_leak_warnings(false);  // cached games and JAX programs live until the process exits
    bind_reports(module);
    bind_tablut(module);
    bind_draughts(module);
    bind_cathedral(module);
    bind_tablebase(module);
}

}  // namespace boardwright
