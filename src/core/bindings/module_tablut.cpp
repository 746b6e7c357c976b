// The Python bindings of Tablut.
#include "bindings/search.hpp"
#include "games/tablut/evaluation.hpp"
#include "games/tablut/heuristics.hpp"
#include "games/tablut/rollouts.hpp"

namespace boardwright {

extern template class AlphaBetaThread<Tablut>;

namespace {

using Board = nb::ndarray<const std::int8_t, nb::shape<81>, nb::c_contig, nb::device::cpu>;

// Reads a board of 0 empty, 1 attacker, 2 defender, 3 king into sets of men by role and the square of the king.
void read_board(const Board& board, std::array<Squares, 2>& men, int& king) {
    for (int square = 0; square < Tablut::kSquares; ++square) {
        const int piece = board.data()[square] - 1;
        if (piece == kKing) king = square;
        if (piece == kAttacker || piece == kDefender) men[piece] |= Squares::of(square);
    }
}

// Reads boardwright.games.tablut.rules.Tables.
TablutTables tablut_tables(nb::handle tables) {
    TablutTables t;
    FieldReader{tables}("stop", t.stop)("enter", t.enter)("hostile", t.hostile)("escape", t.escape)
        ("strong", t.strong)("edge", t.edge)("throne", t.throne)("first", t.first)
        ("throne_hostile_under_king", t.throne_hostile_under_king)("king_armed", t.king_armed)
        ("surround_loses", t.surround_loses)("both_sides_need_moves", t.both_sides_need_moves)
        ("count_start", t.count_start)("repetition_draws", t.repetition_draws)("repetition_limit", t.repetition_limit)
        ("max_quiet_plies", t.max_quiet_plies)("max_plies", t.max_plies)("quiet_scale", t.quiet_scale)
        ("ply_scale", t.ply_scale)("piece_key", t.piece_key)("defenders_to_move_key", t.defenders_to_move_key);
    read_board(nb::cast<Board>(nb::object(tables.attr("start"))), t.men, t.king);
    return t;
}

std::vector<int> square_numbers(Squares squares) {
    std::vector<int> numbers;
    while (squares.any()) numbers.push_back(squares.take_first());
    return numbers;
}

void check_ongoing(const Position<Tablut>& position) { require(!position.line.over(), "the game is over"); }

VictoryPath victory_path(const Position<Tablut>& p) {
    const bool possible = !p.line.over() && p.line.now().to_move == kDefenders;
    return possible ? TablutTactics(*p.game).victory_path(p.line.states()) : VictoryPath{};
}

bool wins_by_force(const Position<Tablut>& p, Role role, int plies) {
    check_role(role);
    require(plies >= 0, "plies must not be negative");
    Line<Tablut> line = p.line;
    nb::gil_scoped_release release;
    return forced_win(line, role, plies);
}

bool escapes_by_force(const Position<Tablut>& p, int threats) {
    require(threats >= 0, "threats must not be negative");
    if (p.line.over() || p.line.now().to_move != kDefenders) return false;
    Line<Tablut> line = p.line;
    nb::gil_scoped_release release;
    return TablutEscape(*p.game).forced(line, threats);
}

nb::typed<nb::dict, Action, int> heuristic_scores(const Position<Tablut>& p) {
    nb::typed<nb::dict, Action, int> scores;
    if (p.line.over()) return scores;
    for (const auto& [action, score] : TablutHeuristics(*p.game).scores(p.line.states())) {
        scores[nb::int_(action)] = score;
    }
    return scores;
}

auto board_of(const Position<Tablut>& p) {
    const auto& state = p.line.now();
    auto board = std::make_unique<std::int8_t[]>(Tablut::kSquares);
    for (int square = 0; square < Tablut::kSquares; ++square) {
        board[square] = state.men[0].has(square)   ? 1 + kAttacker
                        : state.men[1].has(square) ? 1 + kDefender
                        : state.king == square     ? 1 + kKing
                                                   : 0;
    }
    return numpy_array(std::move(board), std::array<std::size_t, 1>{Tablut::kSquares});
}

Position<Tablut> set_up(std::shared_ptr<const Tablut> game, Board board, Role to_move, int quiet, int plies) {
    check_role(to_move);
    std::array<Squares, 2> men;
    int king = Tablut::kNoKing;
    read_board(board, men, king);
    return {game, Line<Tablut>(*game, game->make(men[0], men[1], king, to_move, quiet, plies))};
}

}  // namespace

void bind_tablut(nb::module_& module) {
    using P = Position<Tablut>;
    nb::class_<VictoryPath>(module, "VictoryPath", "A proven win of the king.")
        .def_prop_ro(
            "kind", [](const VictoryPath& path) { return static_cast<int>(path.kind); },
            "PathKind of games/tablut/tactics.hpp; 0: none found")
        .def_ro("action", &VictoryPath::action, "Its first action, or -1");
    bind_position<Tablut, TablutRollouts>(module, "TablutPosition")
        .def_prop_ro("quiet", &now<&Tablut::State::quiet, Tablut>, "Plies since the last capture")
        .def_prop_ro("seen", &now<&Tablut::State::seen, Tablut>, "Earlier occurrences of the position")
        .def(
            "king_can_be_captured",
            [](const P& p) { return TablutTactics(*p.game).king_can_be_captured(p.line.now()); },
            "Whether a move of the attackers, were they to move, would capture the king")
        .def(
            "threatened",
            [](const P& p, Role role) {
                check_role(role);
                return square_numbers(TablutTactics(*p.game).threatened(p.line.now(), role));
            },
            "role"_a, "Squares of the role's men that a single move would capture")
        .def("victory_path", &victory_path, "The quickest one, with defenders to move")
        .def("forced_win", &wins_by_force, "role"_a, "plies"_a, "Whether the role wins in that many plies; full search")
        .def("forced_escape", &escapes_by_force, "threats"_a,
             "Whether defenders to move have a victory path now or after at most that many threats")
        .def(
            "greedy_actions",
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
        .def("heuristic_scores", &heuristic_scores, "By legal action")
        .def("board", &board_of, "[81]: 0 empty, 1 attacker, 2 defender, 3 king");
    bind_game<Tablut>(module, "Tablut", &tablut_tables)
        .def("setup", &set_up, "board"_a, "to_move"_a, "quiet"_a, "plies"_a);
    bind_alphabeta<Tablut>(module, "TablutAlphaBeta");
    bind_puct<Tablut>(module, "TablutPuct");
}

}  // namespace boardwright
