// The Python bindings of Tablut.
#include "bindings_puct.hpp"
#include "search/forced.hpp"
#include "tablut_escape.hpp"
#include "tablut_evaluation.hpp"
#include "tablut_heuristics.hpp"
#include "tablut_rollouts.hpp"

namespace boardwright {
namespace {

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

std::vector<int> square_numbers(Squares squares) {
    std::vector<int> numbers;
    while (squares.any()) numbers.push_back(squares.take_first());
    return numbers;
}

void check_ongoing(const Position<Tablut>& position) {
    if (position.line.over()) throw std::invalid_argument("the game is over");
}

}  // namespace

void bind_tablut(nb::module_& module) {
    using P = Position<Tablut>;
    bind_position<Tablut, TablutRollouts>(module, "TablutPosition")
        .def_prop_ro("quiet", [](const P& p) { return p.line.now().quiet; })
        .def_prop_ro("seen", [](const P& p) { return int{p.line.now().seen}; })
        .def("king_can_be_captured",
             [](const P& p) { return TablutTactics(*p.game).king_can_be_captured(p.line.now()); })
        .def("threatened",
             [](const P& p, Role role) {
                 check_role<Tablut>(role);
                 return square_numbers(TablutTactics(*p.game).threatened(p.line.now(), role));
             },
             "role"_a)
        .def("victory_path",
             [](const P& p) {
                 const bool possible = !p.line.over() && p.line.now().to_move == kDefenders;
                 const VictoryPath path = possible ? TablutTactics(*p.game).victory_path(p.line.states()) : VictoryPath{};
                 return nb::make_tuple(static_cast<int>(path.kind), path.action);
             })
        .def("forced_win",
             [](const P& p, Role role, int plies) {
                 check_role<Tablut>(role);
                 Line<Tablut> line = p.line;
                 nb::gil_scoped_release release;
                 return forced_win(line, role, plies);
             },
             "role"_a, "plies"_a)
        .def("forced_escape",
             [](const P& p, int threats) {
                 if (p.line.over() || p.line.now().to_move != kDefenders) return false;
                 Line<Tablut> line = p.line;
                 nb::gil_scoped_release release;
                 return TablutEscape(*p.game).forced(line, threats);
             },
             "threats"_a)
        .def("greedy_actions",
             [](const P& p, bool wins_first) {
                 check_ongoing(p);
                 return TablutHeuristics(*p.game).greedy(p.line.states(), wins_first);
             },
             "wins_first"_a)
        .def("heuristic_actions",
             [](const P& p) {
                 check_ongoing(p);
                 return TablutHeuristics(*p.game).heuristic(p.line.states());
             })
        .def("heuristic_scores",
             [](const P& p) {
                 nb::dict scores;
                 if (p.line.over()) return scores;
                 for (const auto& [action, score] : TablutHeuristics(*p.game).scores(p.line.states())) {
                     scores[nb::int_(action)] = score;
                 }
                 return scores;
             })
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
    bind_alphabeta<Tablut>(module, "TablutAlphaBeta")
        .def("__init__",
             [](AlphaBeta<Tablut>* self, std::shared_ptr<const Tablut> game, int megabytes, int threads) {
                 new (self) AlphaBeta<Tablut>(Evaluator<Tablut>(*game), table_bytes(megabytes), checked_threads(threads));
             },
             "game"_a, "megabytes"_a, "threads"_a, nb::keep_alive<1, 2>());
    bind_puct<Tablut>(module, "TablutPuct")
        .def("__init__",
             [](PuctSearch<Tablut>* self, std::shared_ptr<const Tablut> game, int megabytes, int batch, std::uint64_t seed) {
                 new_puct(self, Evaluator<Tablut>(*game), megabytes, batch, seed);
             },
             "game"_a, "megabytes"_a, "batch"_a, "seed"_a, nb::keep_alive<1, 2>());
}

}  // namespace boardwright
