// The bindings of alpha-beta and PUCT, the same for every game.
#pragma once

#include "bindings/position.hpp"
#include "search/alphabeta.hpp"
#include "search/puct.hpp"

namespace boardwright {

// Bytes of a table of that many megabytes.
inline std::size_t table_bytes(int megabytes) {
    require(megabytes >= 1 && megabytes <= 1 << 16,
            "megabytes must be from 1 to 65536, got " + std::to_string(megabytes));
    return static_cast<std::size_t>(megabytes) << 20;
}

template <Game G>
void check_searchable(const Position<G>& p, const G& game) {
    require(p.game.get() == &game, "the position belongs to another game or rule set than the search");
    require(!p.line.over(), "the game is over");
}

template <Game G>
SearchReport search_alphabeta(AlphaBeta<G>& search, const Position<G>& p, int depth, std::uint64_t nodes,
                              double seconds, const std::optional<nb::typed<nb::callable, bool()>>& stopped,
                              const std::optional<nb::typed<nb::callable, void(SearchReport)>>& report) {
    check_searchable(p, search.evaluator().game());
    require(p.line.now().to_move != kChance, "chance is to move");
    require(depth > 0 || nodes > 0 || seconds > 0, "set a limit: depth, nodes or seconds");
    SignalCheck check;
    const auto stop = [&] { return check([&] { return stopped && nb::cast<bool>((*stopped)()); }); };
    const auto done = [&](const SearchReport& found) {
        if (!report) return;
        nb::gil_scoped_acquire held;
        (*report)(found);
    };
    nb::gil_scoped_release release;
    return search.run(p.line, {depth, nodes, seconds}, stop, done);
}

// Binds the members that every game's alpha-beta has; the caller adds a constructor where the game's evaluator needs
// more than the game.
template <Game G>
nb::class_<AlphaBeta<G>> bind_alphabeta(nb::module_& module, const char* name) {
    static_assert(Evaluation<Evaluator<G>, G>);
    auto bound = nb::class_<AlphaBeta<G>>(module, name, "A player's alpha-beta search, with its transposition table.");
    if constexpr (std::constructible_from<Evaluator<G>, const G&>) {
        bound.def(
            "__init__",
            [](AlphaBeta<G>* self, std::shared_ptr<const G> game, int megabytes, int threads) {
                new (self) AlphaBeta<G>(Evaluator<G>(*game), table_bytes(megabytes), checked_threads(threads));
            },
            "game"_a, "megabytes"_a, "threads"_a, nb::keep_alive<1, 2>());
    }
    bound
        .def("search", &search_alphabeta<G>, "position"_a, "depth"_a, "nodes"_a, "seconds"_a, "stopped"_a = nb::none(),
             "report"_a = nb::none(),
             "A limit of 0 means no limit. Ends when `stopped` returns true; calls `report` after every depth")
        .def(
            "value", [](AlphaBeta<G>& search, const Position<G>& p) { return search.evaluator().value(p.line.now()); },
            "position"_a, "The static score of an ongoing position");
    bound.attr("SCALE") = Evaluator<G>::kScale;
    bound.attr("DECIDED") = kDecided;
    bound.attr("PROVEN") = kMaxStatic;
    bound.attr("WIN") = kWin;
    return bound;
}

template <Game G>
struct PuctMethods {
    using S = PuctSearch<G>;
    using Logits = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    using Values = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    // Constructs a search in place.
    static void construct(S* self, Evaluator<G> evaluator, int megabytes, int batch, std::uint64_t seed) {
        require(megabytes <= 1 << 15, "megabytes must be at most 32768: nodes have 32-bit numbers");
        require(batch >= 1 && batch <= 4096, "batch must be from 1 to 4096, got " + std::to_string(batch));
        new (self) S(std::move(evaluator), table_bytes(megabytes), batch, seed);
    }

    static void begin(S& search, const Position<G>& p, std::uint64_t halving) {
        check_searchable(p, search.game());
        nb::gil_scoped_release release;
        search.begin(p.line, halving);
    }

    static int collect(S& search, int batch, std::uint64_t simulations) {
        require(search.begun(), "call begin() first");
        require(batch >= 1, "batch must be at least 1");
        nb::gil_scoped_release release;
        return search.collect(batch, simulations);
    }

    static void apply(S& search, Logits logits, Values values) {
        require(logits.shape(0) == search.waiting() && values.shape(0) == search.waiting() &&
                    logits.shape(1) == static_cast<std::size_t>(search.game().actions()),
                "expected logits [waiting, actions] and values [waiting]");
        nb::gil_scoped_release release;
        search.apply(logits.data(), values.data());
    }

    static PuctReport report(S& search) {
        require(search.begun(), "call begin() first");
        return search.report();
    }

    static auto observations(S& search) {
        const auto [rows, columns, planes] = search.game().observation_shape();
        return nb::ndarray<nb::numpy, float, nb::ndim<4>>(search.observations(),
                                                          {search.batch(), rows, columns, planes}, nb::handle());
    }

    static auto roles(S& search) {
        return nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(search.roles(), {search.batch()}, nb::handle());
    }
};

// Binds the members that every game's PUCT search has; the caller adds a constructor as with bind_alphabeta.
template <Game G>
nb::class_<PuctSearch<G>> bind_puct(nb::module_& module, const char* name) {
    using S = PuctSearch<G>;
    using M = PuctMethods<G>;
    auto bound = nb::class_<S>(module, name, "A player's PUCT search, with its tree; see `games.engines.PuctSearch`.");
    if constexpr (std::constructible_from<Evaluator<G>, const G&>) {
        bound.def(
            "__init__",
            [](S* self, std::shared_ptr<const G> game, int megabytes, int batch, std::uint64_t seed) {
                M::construct(self, Evaluator<G>(*game), megabytes, batch, seed);
            },
            "game"_a, "megabytes"_a, "batch"_a, "seed"_a, nb::keep_alive<1, 2>());
    }
    bound.def("begin", &M::begin, "position"_a, "halving"_a = 0)
        .def("collect", &M::collect, "batch"_a, "simulations"_a)
        .def("apply", &M::apply, "logits"_a, "values"_a)
        .def("report", &M::report)
        .def_prop_ro("done", [](const S& search) { return search.begun() && search.is_done(); })
        .def_prop_ro("ready", [](const S& search) { return search.begun() && search.tree()[0].edges > 0; })
        .def_prop_ro("simulations", [](const S& search) { return search.simulations(); })
        .def_prop_ro("nodes", [](const S& search) { return search.tree().size(); })
        .def_prop_ro("observations", &M::observations, nb::rv_policy::reference_internal)
        .def_prop_ro("roles", &M::roles, nb::rv_policy::reference_internal);
    return bound;
}

}  // namespace boardwright
