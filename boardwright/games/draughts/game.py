"""English draughts as a `Game`."""

import csv
from dataclasses import astuple
from pathlib import Path
from typing import ClassVar

import numpy as np

from boardwright import _core
from boardwright.errors import IllegalMoveError, PositionError, UnknownNameError
from boardwright.games import base
from boardwright.games.base import Game, Move, Position, SearchResources, Symmetry
from boardwright.games.draughts import board as b
from boardwright.games.draughts import features, notation
from boardwright.games.draughts.benchmarks import openspiel_perft_rate, table_builds
from boardwright.games.draughts.endgames.tablebase import SHIPPED, SHIPPED_PIECES, file_errors, shipped_tables
from boardwright.games.draughts.notation import Route
from boardwright.games.draughts.rules import RULE_SETS, VIEWS, DraughtsRules, compile_tables
from boardwright.games.lines import play_words

# Of the three-move openings: those played over the board, by post as well, and not at all.
DECKS = ("crossboard", "mail", "barred")


class Draughts(Game):
    """Capture all enemy pieces or leave them no move. Black moves first.

    Actions: one hop, a square and a direction (128); a capture of several pieces is several actions of
    the same role. Rewards: +1 and -1 to the roles at the end, 0 for a draw. Observation: see `features`;
    the board is turned for the mover. Chance never moves.
    """

    name = "draughts"
    title = "English draughts"
    roles = ("black", "white")
    default_rules = "wcdf"
    default_summary = "The rules of the World Checkers/Draughts Federation"
    rule_titles: ClassVar = {
        "wcdf": "English draughts, WCDF rules",
        "paper": "English draughts, shorter games (DraughtsZero paper)",
    }
    package = "boardwright.games.draughts"
    game_files = "boardwright.games.draughts.gamefile"
    file_suffix = "pdn"
    rules_type = DraughtsRules
    shipped_rules = RULE_SETS
    max_search_actions = 48  # no position has more: twelve pieces, four directions
    shipped_tables = SHIPPED
    protocols: ClassVar = {
        "hub": base.GameProtocol(
            dialect="boardwright.games.draughts.hub.dialect:HubDialect",
            engine="boardwright.games.draughts.hub.engine:HubProtocol",
        )
    }
    observations = tuple(VIEWS)
    evaluation_observation = "paper"
    reasons: ClassVar = ("", "no legal move", "repetition", "inactivity", "ply limit")
    benchmark = base.Benchmark(
        perft_rules="wcdf",
        perft_depth=10,
        playout_rules=("wcdf",),
        peers=(base.Peer("perft", "OpenSpiel's checkers from Python, in this run", openspiel_perft_rate),),
        extras=table_builds,
    )
    num_actions = b.NUM_ACTIONS

    def __init__(self, rules: DraughtsRules, observation: str = "full"):
        super().__init__(rules, observation)
        view = VIEWS[observation]
        self.planes = features.planes(view)
        self.observation_shape = (b.SIZE, b.SIZE, len(self.planes))
        self.tables = compile_tables(rules, view)
        self.engine = _core.Draughts(self.tables)

    def position(self, text: str) -> Position:
        placement = notation.parse_fen(text)
        position = Position(self, self.engine.setup(*astuple(placement)))
        if placement.continuing and not position.count_actions():
            raise PositionError(f"position {text!r}: X{placement.continuing}: that piece has nothing to capture")
        return position

    def alphabeta(self, megabytes: int, threads: int, resources: SearchResources | None = None) -> base.AlphaBetaSearch:
        net = None if resources is None or resources.net is None else dict(resources.net)
        with file_errors():
            return _core.DraughtsAlphaBeta(self.engine, megabytes, threads, _tables(resources), net)

    def puct(self, megabytes: int, batch: int, seed: int, resources: SearchResources | None = None) -> base.PuctSearch:
        with file_errors():
            return _core.DraughtsPuct(self.engine, megabytes, batch, seed, _tables(resources))

    def symmetries(self) -> tuple[Symmetry, ...]:
        entries = np.arange(np.prod(self.observation_shape), dtype=np.int32)
        return (Symmetry("identity", np.arange(b.NUM_ACTIONS, dtype=np.int32), entries),)

    def action_view(self, role: int) -> np.ndarray:
        actions = super().action_view(role)
        return actions[::-1] if role == b.BLACK else actions  # turned half round, the last action is the first

    def policy_planes(self) -> base.PolicyPlanes:
        # A plane per direction, at the square the piece leaves; light cells have no actions.
        hops = map(b.decode_action, range(b.NUM_ACTIONS))
        index = [b.flat_cell(square) * len(b.DIRECTIONS) + direction for square, direction in hops]
        return base.PolicyPlanes(len(b.DIRECTIONS), np.array(index, np.int32))

    def policy_table(self) -> base.PolicyTable:
        return features.policy_table()

    def position_text(self, core: _core.DraughtsPosition) -> str:
        return notation.fen(core)

    def action_text(self, core: _core.DraughtsPosition, action: int) -> str:
        return notation.route_of([action], core.black | core.white).path

    def parse_action(self, core: _core.DraughtsPosition, text: str) -> int:
        for action in core.legal_actions():
            if self.action_text(core, action) == text.strip():
                return action
        raise IllegalMoveError(f"move {text!r}: not a legal hop")

    def moves(self, core: _core.DraughtsPosition) -> list[Move]:
        return [Move(text, route.actions) for text, route in self._named_routes(core)[0].items()]

    def parse_move(self, core: _core.DraughtsPosition, text: str) -> tuple[int, ...]:
        return notation.find_route(text, *self._named_routes(core)).actions

    def openings(self, deck: str | None) -> list[base.Opening]:
        """The three-move openings of the American Checker Federation, from which matches draw their games."""
        if deck is not None and deck not in DECKS:
            raise UnknownNameError("deck of openings", deck, DECKS)
        text = Path(__file__).with_name("ballots.csv").read_text(encoding="utf-8")
        openings = []
        for row in csv.DictReader(text.splitlines()):
            if deck in (None, row["deck"]):
                moves = tuple(row["moves"].split())
                reached = play_words(self.start(), moves)
                openings.append(base.Opening(int(row["number"]), moves, row["deck"], row["name"], reached.text))
        return openings

    def proven_outcome(self, core: _core.DraughtsPosition) -> base.Outcome | None:
        occupied, role = core.black | core.white, core.role_to_move
        if occupied.bit_count() > SHIPPED_PIECES or core.continuing or not (core.black and core.white):
            return None
        probe = shipped_tables().probe(core.black, core.white, core.kings, role)
        length = "" if probe.plies is None else f", {probe.plies} plies from the end"
        winner = {"win": role, "draw": None, "loss": 1 - role}[probe.result]
        return base.Outcome(winner, f"endgame tables{length}")

    def proven_results(self, folder: Path | None = None) -> base.ProvenResults:
        from boardwright.games.draughts.endgames.batch_tables import make_proven_results

        return make_proven_results(folder, self.rules.max_quiet_plies)

    def _named_routes(self, core: _core.DraughtsPosition) -> tuple[dict[str, Route], list[Route]]:
        """The shortest unambiguous text of every move, and all routes, of which some may be the same move."""
        routes = [notation.route_of(actions, core.black | core.white) for actions in core.routes()]
        moves = {route.effect: route for route in reversed(routes)}
        ends = [route.ends for route in moves.values()]
        named = {route.path if ends.count(route.ends) > 1 else route.ends: route for route in moves.values()}
        return dict(sorted(named.items(), key=lambda item: item[1].actions)), routes

    def why_illegal(self, core: _core.DraughtsPosition, action: int) -> str:
        return notation.why_no_hop(action, core)


def _tables(resources: SearchResources | None) -> str | None:
    folder = SHIPPED if resources is None else resources.tables
    return None if folder is None else str(folder)
