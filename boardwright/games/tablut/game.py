"""Tablut as a `Game`."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from boardwright import _core
from boardwright.errors import IllegalMoveError, RulesError
from boardwright.games import base
from boardwright.games.base import Game, Position, SearchResources, Symmetry
from boardwright.games.declarations import LadderRow
from boardwright.games.tablut import board as b
from boardwright.games.tablut import features, notation
from boardwright.games.tablut.rules import OLD_NAMES, RULE_SETS, TablutRules, compile_tables
from boardwright.views.scene import Cell


class Tablut(Game):
    """Attackers try to capture the king; defenders try to bring him to a corner or an edge.

    Actions: a piece's square, a direction and a distance (2,592). Rewards: +1 and -1 to the roles at
    the end, 0 for a draw. Observation: 43 planes, see `features`. Chance never moves.
    """

    name = "tablut"
    title = "Tablut"
    roles = ("attackers", "defenders")
    default_rules = "tablutzero"
    old_rule_names = OLD_NAMES
    default_summary = "The rules of the TablutZero paper: the king escapes to a corner and is captured by two"
    rule_titles: ClassVar = {
        "tablutzero": "Tablut, corner escape (TablutZero paper)",
        "tablutzero-code": "Tablut, corner escape, longer games (TablutZero code)",
        "mcgill": "Tablut, corner escape, strong king in the centre (McGill course)",
        "saami": "Tablut, edge escape (historical Sámi rules)",
    }
    package = "boardwright.games.tablut"
    game_files = "boardwright.games.tablut.opentafl.gamefile"
    max_search_actions = 144  # positions with more legal actions are very rare
    players = "boardwright.games.tablut.players:PLAYERS"
    ladder = (
        LadderRow("greedy", "Greedy (most captures)", after="mc:sims=1000"),
        LadderRow("heuristic", after="mc:sims=1000"),
        LadderRow("mc-expanded:sims=10000", after="mc:sims=10000"),
        LadderRow(
            "heuristic-mc:sims=10000", "Heuristic + Monte Carlo, 10,000 simulations", after="mc-improved:sims=10000"
        ),
    )
    protocols: ClassVar = {
        "opentafl": base.GameProtocol(
            dialect="boardwright.games.tablut.opentafl.dialect:OpenTaflDialect",
            engine="boardwright.games.tablut.opentafl.engine:OpenTaflProtocol",
        )
    }
    observations = ("paper",)
    rules_type = TablutRules
    shipped_rules = RULE_SETS
    reasons: ClassVar = (
        "",
        "king captured",
        "king escaped",
        "defenders surrounded",
        "repetition",
        "no legal move",
        "too long without a capture",
        "ply limit",
    )
    benchmark = base.Benchmark(
        perft_rules="tablutzero",
        perft_depth=4,
        playout_rules=("tablutzero-code",),
        peers=(
            base.Peer("steps", "public TablutZero engine, measured on one H200", lambda: 12.7e6, gpu=True),
            base.Peer("observed_steps", "public TablutZero engine, measured on one H200", lambda: 7.1e6, gpu=True),
        ),
    )
    num_actions = b.NUM_ACTIONS
    observation_shape = features.SHAPE
    planes = features.PLANES

    def __init__(self, rules: TablutRules, observation: str = "paper"):
        super().__init__(rules, observation)
        self.tables = compile_tables(rules)
        self.engine = _core.Tablut(self.tables)
        outcome = self.start().outcome
        if outcome is not None:
            raise RulesError(f"rule set {rules.name!r}: the game is over before it begins: {outcome.reason}")

    def position(self, text: str) -> Position:
        board, to_move, quiet, plies = notation.parse_position(text, self.rules)
        return Position(self, self.engine.setup(board, to_move, quiet, plies))

    def alphabeta(self, megabytes: int, threads: int, resources: SearchResources | None = None) -> base.AlphaBetaSearch:
        return _core.TablutAlphaBeta(self.engine, megabytes, threads)

    def puct(self, megabytes: int, batch: int, seed: int, resources: SearchResources | None = None) -> base.PuctSearch:
        return _core.TablutPuct(self.engine, megabytes, batch, seed)

    def symmetries(self) -> tuple[Symmetry, ...]:
        return features.symmetries(self.rules)

    def policy_planes(self) -> base.PolicyPlanes:
        # A plane per direction and distance, at the square the piece leaves: the order of the action numbers.
        return base.PolicyPlanes(b.PLANES_PER_SQUARE, np.arange(b.NUM_ACTIONS, dtype=np.int32))

    def position_text(self, core: _core.TablutPosition) -> str:
        return f"{b.board_text(core.board())} {'ad'[core.role_to_move]} {core.quiet} {core.plies}"

    def action_text(self, core: _core.TablutPosition, action: int) -> str:
        return notation.move_text(action, core.board(), core.play(action).board())

    def parse_action(self, core: _core.TablutPosition, text: str) -> int:
        action, captures = notation.parse_move(text)
        if captures is not None and core.is_legal(action):
            actual = self.action_text(core, action)
            if captures != notation.parse_move(actual)[1]:
                raise IllegalMoveError(f"move {text!r}: the captures are wrong, write {actual}")
        return action

    def why_illegal(self, core: _core.TablutPosition, action: int) -> str:
        return notation.why_illegal(action, core.board(), core.role_to_move, self.tables)

    def facts(self) -> dict[str, str]:
        rules, board = self.rules, b.parse_board(self.rules.start)
        places = {
            "an empty corner": rules.corners_hostile_to,
            "the empty throne": rules.throne_hostile_to,
            "an empty square of a camp": rules.camps_hostile_to,
        }
        # A corner has no neighbour on whom four could close in.
        helpers = [place for place, side in [*places.items()][1:] if side in ("all", "defenders")]
        facts = {
            "attackers": str(np.count_nonzero(board == b.ATTACKER)),
            "defenders": str(np.count_nonzero(board == b.DEFENDER)),
            "goal": {"corner": "a corner", "edge": "a square of the edge"}[rules.escape],
            "camp_squares": "; ".join(" ".join(camp) for camp in rules.camps),
            "helpers": f", {' or '.join(helpers)} counting as one" if helpers else "",
            "counted": "" if rules.count_start else " (not counting the beginning)",
        }
        for side in ("all", "attackers", "defenders"):
            named = " or ".join(place for place, hostile_to in places.items() if hostile_to == side)
            facts[f"hostile_to_{side}"] = named[:1].upper() + named[1:]
        return facts

    def hints(self, core: _core.TablutPosition) -> Mapping[str, tuple[Cell, ...]]:
        """The squares where the king could win at once if it were his side's turn."""
        board = core.board()
        moves = map(b.decode_action, self.engine.setup(board, b.DEFENDERS, 0, 0).legal_actions())
        wins = [move[1] for move in moves if move and board[move[0]] == b.KING and self.tables.escape[move[1]]]
        return {"escapes": tuple(divmod(square, b.SIZE) for square in wins)}
