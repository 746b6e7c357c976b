// The bindings of alpha-beta, the same for every game.
#pragma once

#include <nanobind/stl/pair.h>

#include "bindings.hpp"
#include "search/alphabeta.hpp"

namespace boardwright {

// Binds what every game's search has; the caller adds its constructor.
template <Game G>
nb::class_<AlphaBeta<G>> bind_alphabeta(nb::module_& module, const char* name) {
    static_assert(Evaluation<Evaluator<G>, G>);
    using P = Position<G>;
    const auto as_tuple = [](const SearchReport& report) {
        return nb::make_tuple(report.line, report.score, report.depth, report.nodes, report.seconds);
    };
    auto bound = nb::class_<AlphaBeta<G>>(module, name)
        .def("search",
             [as_tuple](AlphaBeta<G>& search, const P& p, int depth, std::uint64_t nodes, double seconds, nb::object stopped,
                        nb::object report) {
                 if (p.game.get() != &search.evaluator().game()) {
                     throw std::invalid_argument("the position is of another game or rule set than the search");
                 }
                 if (p.line.over()) throw std::invalid_argument("the game is over");
                 if (p.line.now().to_move == kChance) throw std::invalid_argument("chance is to move");
                 if (depth <= 0 && nodes == 0 && !(seconds > 0)) throw std::invalid_argument("the search needs a limit");
                 StopCheck stop(std::move(stopped));
                 const auto done = [&](const SearchReport& found) {
                     if (report.is_none()) return;
                     nb::gil_scoped_acquire held;
                     report(found.line, found.score, found.depth, found.nodes, found.seconds);
                 };
                 SearchReport best;
                 {
                     nb::gil_scoped_release release;
                     best = search.run(p.line, {depth, nodes, seconds}, stop, done);
                 }
                 return as_tuple(best);
             },
             "position"_a, "depth"_a, "nodes"_a, "seconds"_a, "stopped"_a.none() = nb::none(), "report"_a.none() = nb::none())
        .def("value", [](AlphaBeta<G>& search, const P& p) { return search.evaluator().value(p.line.now()); }, "position"_a)
        .def("features",
             [](AlphaBeta<G>& search, const P& p) {
                 std::vector<std::pair<std::string, int>> named;
                 const auto features = search.evaluator().features(p.line.now());
                 for (std::size_t i = 0; i < features.size(); ++i) named.emplace_back(Evaluator<G>::kNames[i], features[i]);
                 return named;
             },
             "position"_a);
    bound.attr("SCALE") = Evaluator<G>::kScale;
    bound.attr("DECIDED") = kDecided;
    bound.attr("PROVEN") = kMostStatic;
    bound.attr("WIN") = kWin;
    return bound;
}

// How much memory a table of so many megabytes takes; refuses what nobody means.
inline std::size_t table_bytes(int megabytes) {
    if (megabytes < 1 || megabytes > 1 << 16) throw std::invalid_argument("a table has from 1 to 65536 megabytes");
    return static_cast<std::size_t>(megabytes) << 20;
}

inline int checked_threads(int threads) {
    if (threads < 1 || threads > 256) throw std::invalid_argument("a search has from 1 to 256 threads");
    return threads;
}

}  // namespace boardwright
