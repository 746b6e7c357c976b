// The Python bindings of draughts.
#include <nanobind/stl/optional.h>

#include "bindings_puct.hpp"
#include "draughts_evaluation.hpp"

namespace boardwright {
namespace {

// Reads boardwright.games.draughts.rules.Tables, field by field.
DraughtsTables draughts_tables(nb::handle tables) {
    const auto field = [&](const char* name) { return nb::object(tables.attr(name)); };
    DraughtsTables t;
    t.repetition_limit = nb::cast<int>(field("repetition_limit"));
    t.max_quiet_plies = nb::cast<int>(field("max_quiet_plies"));
    t.man_moves_are_quiet = nb::cast<bool>(field("man_moves_are_quiet"));
    t.max_plies = nb::cast<int>(field("max_plies"));
    t.history = nb::cast<int>(field("history"));
    t.extra_planes = nb::cast<bool>(field("extra_planes"));
    t.quiet_scale = nb::cast<float>(field("quiet_scale"));
    const auto keys = nb::cast<nb::ndarray<const std::uint64_t, nb::shape<4, 32>, nb::c_contig, nb::device::cpu>>(field("piece_key"));
    for (int piece = 0; piece < 4; ++piece) std::copy_n(keys.data() + piece * 32, 32, t.piece_key[piece].begin());
    const auto more = nb::cast<nb::ndarray<const std::uint64_t, nb::shape<32>, nb::c_contig, nb::device::cpu>>(field("continuing_key"));
    std::copy_n(more.data(), 32, t.continuing_key.begin());
    t.white_to_move_key = nb::cast<std::uint64_t>(field("white_to_move_key"));
    return t;
}

// The tables of a folder, or none.
Evaluator<Draughts> draughts_evaluator(const Draughts& game, const std::optional<std::string>& tables) {
    std::shared_ptr<const draughts::Tablebase> opened;
    if (tables) opened = std::make_shared<const draughts::Tablebase>(*tables, 0);
    return Evaluator<Draughts>(game, opened);
}

}  // namespace

void bind_draughts(nb::module_& module) {
    using P = Position<Draughts>;
    bind_position<Draughts>(module, "DraughtsPosition")
        .def_prop_ro("black", [](const P& p) { return p.line.now().board.pieces[0]; })
        .def_prop_ro("white", [](const P& p) { return p.line.now().board.pieces[1]; })
        .def_prop_ro("kings", [](const P& p) { return p.line.now().board.kings; })
        .def_prop_ro("continuing",
                     [](const P& p) {
                         const auto piece = p.line.now().continuing;
                         return piece ? std::countr_zero(piece) + 1 : 0;
                     })
        .def_prop_ro("quiet", [](const P& p) { return p.line.now().quiet; })
        .def_prop_ro("seen", [](const P& p) { return int{p.line.now().seen}; });
    nb::class_<Draughts>(module, "Draughts")
        .def("__init__",
             [](Draughts* self, nb::handle tables) { new (self) Draughts(draughts_tables(tables)); }, "tables"_a)
        .def("start",
             [](std::shared_ptr<const Draughts> game) {
                 return P{game, Line<Draughts>(*game, game->start())};
             })
        .def("setup",
             [](std::shared_ptr<const Draughts> game, std::uint32_t black, std::uint32_t white, std::uint32_t kings,
                Role to_move, int continuing, int quiet, int plies) {
                 check_role<Draughts>(to_move);
                 const draughts::Bits piece = continuing ? draughts::Bits{1} << (continuing - 1) : 0;
                 return P{game, Line<Draughts>(*game, game->make({{black, white}, kings}, to_move, piece, quiet, plies))};
             },
             "black"_a, "white"_a, "kings"_a, "to_move"_a, "continuing"_a, "quiet"_a, "plies"_a);
    bind_alphabeta<Draughts>(module, "DraughtsAlphaBeta")
        .def("__init__",
             [](AlphaBeta<Draughts>* self, std::shared_ptr<const Draughts> game, int megabytes, int threads,
                const std::optional<std::string>& tables) {
                 new (self) AlphaBeta<Draughts>(draughts_evaluator(*game, tables), table_bytes(megabytes), checked_threads(threads));
             },
             "game"_a, "megabytes"_a, "threads"_a, "tables"_a.none() = nb::none(), nb::keep_alive<1, 2>());
    bind_puct<Draughts>(module, "DraughtsPuct")
        .def("__init__",
             [](PuctSearch<Draughts>* self, std::shared_ptr<const Draughts> game, int megabytes, int batch, std::uint64_t seed,
                const std::optional<std::string>& tables) {
                 new_puct(self, draughts_evaluator(*game, tables), megabytes, batch, seed);
             },
             "game"_a, "megabytes"_a, "batch"_a, "seed"_a, "tables"_a.none() = nb::none(), nb::keep_alive<1, 2>());
}

}  // namespace boardwright
