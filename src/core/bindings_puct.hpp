// The bindings of the PUCT search, the same for every game.
#pragma once

#include "bindings_search.hpp"
#include "search/puct.hpp"

namespace boardwright {

// Binds what every game's search has; the caller adds its constructor.
template <Game G>
nb::class_<PuctSearch<G>> bind_puct(nb::module_& module, const char* name) {
    using P = Position<G>;
    using S = PuctSearch<G>;
    using Logits = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    using Values = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    const auto check_begun = [](const S& search) {
        if (!search.begun()) throw std::invalid_argument("the search has no position yet");
    };
    return nb::class_<S>(module, name)
        .def("begin",
             [](S& search, const P& p, std::uint64_t halving) {
                 if (p.game.get() != &search.game()) {
                     throw std::invalid_argument("the position is of another game or rule set than the search");
                 }
                 if (p.line.over()) throw std::invalid_argument("the game is over");
                 nb::gil_scoped_release release;
                 search.begin(p.line, halving);
             },
             "position"_a, "halving"_a = 0)
        .def("collect",
             [=](S& search, int batch, std::uint64_t simulations) {
                 check_begun(search);
                 if (batch < 1) throw std::invalid_argument("a batch has at least one position");
                 nb::gil_scoped_release release;
                 return search.collect(batch, simulations);
             },
             "batch"_a, "simulations"_a)
        .def("apply",
             [](S& search, Logits logits, Values values) {
                 if (logits.shape(0) != search.waiting() || values.shape(0) != search.waiting() ||
                     logits.shape(1) != static_cast<std::size_t>(search.game().actions())) {
                     throw std::invalid_argument("expected logits and a value of every position that waits");
                 }
                 nb::gil_scoped_release release;
                 search.apply(logits.data(), values.data());
             },
             "logits"_a, "values"_a)
        .def("report",
             [=](S& search) {
                 check_begun(search);
                 const PuctReport found = search.report();
                 return nb::make_tuple(found.actions, found.visits, found.values, found.policy,
                                       found.principal_variation, found.value, found.simulations, found.evaluations);
             })
        .def_prop_ro("done", [](const S& search) { return search.begun() && search.is_done(); })
        .def_prop_ro("ready", [](const S& search) { return search.begun() && search.tree()[0].edges > 0; })
        .def_prop_ro("simulations", [](const S& search) { return search.simulations(); })
        .def_prop_ro("nodes", [](const S& search) { return search.tree().size(); })
        .def_prop_ro(
            "observations",
            [](S& search) {
                const auto shape = search.game().observation_shape();
                return nb::ndarray<nb::numpy, float, nb::ndim<4>>(search.observations(),
                                                                  {search.batch(), shape[0], shape[1], shape[2]}, nb::handle());
            },
            nb::rv_policy::reference_internal)
        .def_prop_ro(
            "roles",
            [](S& search) {
                return nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(search.roles(), {search.batch()}, nb::handle());
            },
            nb::rv_policy::reference_internal);
}

// Makes a search in place, for the constructors.
template <Game G>
void new_puct(PuctSearch<G>* self, Evaluator<G> evaluator, int megabytes, int batch, std::uint64_t seed) {
    if (megabytes > 1 << 15) throw std::invalid_argument("a tree has at most 32768 megabytes");  // 32-bit numbers
    if (batch < 1 || batch > 4096) throw std::invalid_argument("a batch has from 1 to 4096 positions");
    new (self) PuctSearch<G>(std::move(evaluator), table_bytes(megabytes), batch, seed);
}

}  // namespace boardwright
