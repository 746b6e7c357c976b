// The Python bindings: every game gets the same position class, made from one template.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cathedral.hpp"
#include "draughts.hpp"
#include "perft.hpp"
#include "search/rollout.hpp"
#include "signals.hpp"
#include "tablut.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace boardwright {

void bind_tablebase(nb::module_& module);  // module_tablebase.cpp

namespace {

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

// Binds what every game has; the caller adds what only its game has.
template <Game G>
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
        .def("monte_carlo",
             [](const P& p, std::uint64_t seed, std::uint64_t simulations, double seconds) {
                 if (p.line.over()) throw std::invalid_argument("the game is over");
                 if (simulations == 0 && !(seconds > 0)) throw std::invalid_argument("the search needs a limit");
                 RolloutReport report;
                 {
                     nb::gil_scoped_release release;
                     RolloutSearch<G> search(p.line, seed);
                     SignalCheck tick;
                     report = search.run({simulations, seconds}, tick);
                 }
                 return nb::make_tuple(report.actions, report.visits, report.values,
                                       report.principal_variation, report.simulations);
             },
             "seed"_a, "simulations"_a, "seconds"_a);
}

Squares squares_from(nb::handle mask) {
    const auto array = nb::cast<nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(mask);
    Squares squares;
    for (std::size_t i = 0; i < array.shape(0); ++i) {
        if (array.data()[i]) squares |= Squares::of(static_cast<int>(i));
    }
    return squares;
}

// Reads boardwright.games.tablut.rules.Tables, field by field.
TablutTables tablut_tables(nb::handle tables) {
    const auto field = [&](const char* name) { return nb::object(tables.attr(name)); };
    const auto flag = [&](const char* name) { return nb::cast<bool>(field(name)); };
    const auto number = [&](const char* name) { return nb::cast<int>(field(name)); };
    TablutTables t;
    const auto board = nb::cast<nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(field("start"));
    for (int square = 0; square < Tablut::kSquares; ++square) {
        const int piece = board.data()[square];
        if (piece == 1 + kKing) t.king = square;
        else if (piece != 0) t.men[piece - 1] |= Squares::of(square);
    }
    for (int piece = 0; piece < 3; ++piece) {
        t.stop[piece] = squares_from(field("stop")[nb::int_(piece)]);
        for (int direction = 0; direction < 4; ++direction) {
            t.enter[piece][direction] = squares_from(field("enter")[nb::int_(piece)][nb::int_(direction)]);
        }
    }
    for (int role = 0; role < 2; ++role) t.hostile[role] = squares_from(field("hostile")[nb::int_(role)]);
    t.escape = squares_from(field("escape"));
    t.strong = squares_from(field("strong"));
    t.edge = squares_from(field("edge"));
    t.throne = number("throne");
    t.first = static_cast<Role>(number("first"));
    t.throne_hostile_under_king = flag("throne_hostile_under_king");
    t.king_armed = flag("king_armed");
    t.surround_loses = flag("surround_loses");
    t.both_sides_need_moves = flag("both_sides_need_moves");
    t.count_start = flag("count_start");
    t.repetition_draws = flag("repetition_draws");
    t.repetition_limit = number("repetition_limit");
    t.max_quiet_plies = number("max_quiet_plies");
    t.max_plies = number("max_plies");
    t.quiet_scale = nb::cast<float>(field("quiet_scale"));
    t.ply_scale = nb::cast<float>(field("ply_scale"));
    const auto keys = nb::cast<nb::ndarray<const std::uint64_t, nb::shape<3, 81>, nb::c_contig, nb::device::cpu>>(field("piece_key"));
    for (int piece = 0; piece < 3; ++piece) {
        std::copy_n(keys.data() + piece * 81, 81, t.piece_key[piece].begin());
    }
    t.defenders_to_move_key = nb::cast<std::uint64_t>(field("defenders_to_move_key"));
    return t;
}

void bind_tablut(nb::module_& module) {
    using P = Position<Tablut>;
    bind_position<Tablut>(module, "TablutPosition")
        .def_prop_ro("quiet", [](const P& p) { return p.line.now().quiet; })
        .def_prop_ro("seen", [](const P& p) { return int{p.line.now().seen}; })
        .def("board", [](const P& p) {
            const auto& state = p.line.now();
            auto board = std::make_unique<std::int8_t[]>(Tablut::kSquares);
            for (int square = 0; square < Tablut::kSquares; ++square) {
                board[square] = state.men[0].has(square)   ? 1 + kAttacker
                                : state.men[1].has(square) ? 1 + kDefender
                                : state.king == square     ? 1 + kKing
                                                           : 0;
            }
            return numpy_array(std::move(board), std::array<std::size_t, 1>{Tablut::kSquares});
        });
    nb::class_<Tablut>(module, "Tablut")
        .def("__init__", [](Tablut* self, nb::handle tables) { new (self) Tablut(tablut_tables(tables)); },
             "tables"_a)
        .def("start",
             [](std::shared_ptr<const Tablut> game) {
                 return P{game, Line<Tablut>(*game, game->start())};
             })
        .def("setup",
             [](std::shared_ptr<const Tablut> game,
                nb::ndarray<const std::int8_t, nb::shape<81>, nb::c_contig, nb::device::cpu> board, Role to_move,
                int quiet, int plies) {
                 check_role<Tablut>(to_move);
                 std::array<Squares, 2> men;
                 int king = Tablut::kNoKing;
                 for (int square = 0; square < Tablut::kSquares; ++square) {
                     const int piece = board.data()[square];
                     if (piece == 1 + kKing) king = square;
                     else if (piece == 1 + kAttacker || piece == 1 + kDefender) men[piece - 1] |= Squares::of(square);
                 }
                 return P{game, Line<Tablut>(*game, game->make(men[0], men[1], king, to_move, quiet, plies))};
             },
             "board"_a, "to_move"_a, "quiet"_a, "plies"_a);
}

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
}

// Reads boardwright.games.cathedral.rules.Tables, field by field.
CathedralTables cathedral_tables(nb::handle tables) {
    using Flags = nb::ndarray<const bool, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
    using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Keys = nb::ndarray<const std::uint64_t, nb::c_contig, nb::device::cpu>;
    const auto field = [&](const char* name) { return nb::object(tables.attr(name)); };
    CathedralTables t;
    t.size = nb::cast<int>(field("size"));
    t.claim_cap = nb::cast<int>(field("claim_cap"));
    t.first_building_claims = nb::cast<bool>(field("first_building_claims"));
    t.first = nb::cast<int>(field("first"));
    t.shaped = nb::cast<bool>(field("shaped"));
    t.full_observation = nb::cast<bool>(field("full_observation"));
    const auto pieces = nb::cast<Ints>(field("piece"));
    t.piece.assign(pieces.data(), pieces.data() + pieces.shape(0));
    const auto sizes = nb::cast<Ints>(field("piece_size"));
    std::copy_n(sizes.data(), t.piece_size.size(), t.piece_size.begin());
    const auto cells = nb::cast<Flags>(field("cells"));
    const auto placement_keys = nb::cast<Keys>(field("placement_key"));
    const auto claims_keys = nb::cast<Keys>(field("claims_key"));
    const auto mirrored = nb::cast<nb::ndarray<const bool, nb::shape<2>, nb::c_contig, nb::device::cpu>>(field("mirrored"));
    const std::size_t actions = t.piece.size(), count = cells.shape(2);
    for (std::size_t role = 0; role < 2; ++role) {
        t.mirrored[role] = mirrored.data()[role];
        t.claims_key[role] = claims_keys.data()[role];
        t.placement_key[role].assign(placement_keys.data() + role * actions, placement_keys.data() + (role + 1) * actions);
        t.cells[role].resize(actions);
        for (std::size_t action = 0; action < actions; ++action) {
            for (std::size_t c = 0; c < count; ++c) {
                if (cells.data()[(role * actions + action) * count + c]) t.cells[role][action].push_back(static_cast<int>(c));
            }
        }
    }
    std::copy_n(nb::cast<Keys>(field("role_key")).data(), 3, t.role_key.begin());
    t.cathedral_gone_key = nb::cast<std::uint64_t>(field("cathedral_gone_key"));
    t.first_role_key = nb::cast<std::uint64_t>(field("first_role_key"));
    return t;
}

void bind_cathedral(nb::module_& module) {
    using P = Position<Cathedral>;
    using Where = nb::ndarray<const std::int32_t, nb::shape<2, Cathedral::kBuildings>, nb::c_contig, nb::device::cpu>;
    bind_position<Cathedral>(module, "CathedralPosition")
        .def("where",
             [](const P& p) {
                 auto where = std::make_unique<std::int32_t[]>(2 * Cathedral::kBuildings);
                 for (int role = 0; role < 2; ++role) {
                     std::copy_n(p.line.now().where[role].begin(), Cathedral::kBuildings, where.get() + role * Cathedral::kBuildings);
                 }
                 return numpy_array(std::move(where), std::array<std::size_t, 2>{2, Cathedral::kBuildings});
             })
        .def("placed", [](const P& p) { return std::vector<int>(p.line.now().placed.begin(), p.line.now().placed.end()); })
        .def("rewards", [](const P& p) { return p.line.now().rewards; })
        .def("territory",
             [](const P& p, Role role) {
                 check_role<Cathedral>(role);
                 return p.game->cell_numbers(p.line.now().territory[role]);
             },
             "role"_a)
        .def_prop_ro("cathedral", [](const P& p) { return int{p.line.now().cathedral}; })
        .def_prop_ro("first_role", [](const P& p) { return int{p.line.now().first_role}; });
    nb::class_<Cathedral>(module, "Cathedral")
        .def("__init__",
             [](Cathedral* self, nb::handle tables) { new (self) Cathedral(cathedral_tables(tables)); }, "tables"_a)
        .def("start",
             [](std::shared_ptr<const Cathedral> game) {
                 return P{game, Line<Cathedral>(*game, game->start())};
             })
        .def("setup",
             [](std::shared_ptr<const Cathedral> game, Where where, int cathedral, std::array<int, 2> placed, Role to_move,
                Role first_role, int plies) {
                 std::array<std::array<std::int16_t, Cathedral::kBuildings>, 2> at;
                 for (int i = 0; i < 2 * Cathedral::kBuildings; ++i) {
                     const std::int32_t action = where.data()[i];
                     if (action < Cathedral::kInHand || action >= game->actions()) throw std::invalid_argument("no such placement");
                     at[i / Cathedral::kBuildings][i % Cathedral::kBuildings] = static_cast<std::int16_t>(action);
                 }
                 if (cathedral < Cathedral::kGone || cathedral >= game->actions()) throw std::invalid_argument("no such placement");
                 return P{game, Line<Cathedral>(*game, game->make(at, cathedral, placed, to_move, first_role, plies))};
             },
             "where"_a, "cathedral"_a, "placed"_a, "to_move"_a, "first_role"_a, "plies"_a);
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "Boardwright's scalar engine: one game at a time, as fast as the machine allows.";
    bind_tablut(module);
    bind_draughts(module);
    bind_cathedral(module);
    bind_tablebase(module);
}

}  // namespace boardwright
