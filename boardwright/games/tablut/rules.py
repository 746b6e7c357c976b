"""Rule sets as data, and the tables both engines are built from.

`TablutRules` is what a person writes; `compile_tables` turns it into sets of squares and a few
switches, so that neither engine knows a rule set by name.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from boardwright.errors import PositionError
from boardwright.games.engines import zobrist_keys
from boardwright.games.rulefile import CheckedRules, limits_problem
from boardwright.games.tablut import board as b

Side = Literal["none", "attackers", "defenders", "all"]
Who = Literal["none", "king", "all"]

START = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"
DEFAULT_LONGEST = 512  # what the counter planes take for the maximum where the rules set none


@dataclass(frozen=True, kw_only=True)
class TablutRules(CheckedRules):
    """One rule set of Tablut, or of another tafl game on nine by nine squares."""

    start: str = START  # OpenTafl board text
    first: Literal["attackers", "defenders"] = "attackers"
    escape: Literal["corner", "edge"] = "corner"  # where the king wins
    corners_restricted: bool = True  # only the king may stop on a corner
    corners_hostile_to: Side = "all"  # an empty corner helps to capture whom
    throne_stop: Who = "king"  # who may move onto the empty throne ("none": the king never returns)
    throne_pass: Who = "all"  # who may pass over the empty throne
    throne_hostile_to: Side = "all"  # the empty throne helps to capture whom
    throne_hostile_under_king: bool = False  # it does so against defenders while the king sits on it
    king_armed: bool = True  # he takes part in captures
    # Attackers needed: two; four on the throne and its neighbours, else two; four everywhere (and
    # then never on an edge). An empty square hostile to defenders counts as an attacker.
    king_capture: Literal["weak", "strong-centre", "strong"] = "weak"
    # Squares attackers may leave but never enter again, and no other piece may enter; a camp is a
    # list of squares within which its own men still may move.
    camps: tuple[tuple[str, ...], ...] = ()
    camps_hostile_to: Side = "none"  # an empty camp square helps to capture whom
    surround_loses: bool = False  # defenders lose when none of them has an open way to an edge
    no_move: Literal["mover-loses", "either-loses"] = "mover-loses"  # who is tested after a move
    repetition: Literal["none", "loses", "draw"] = "loses"  # for the player who repeats
    repetition_limit: int = 3  # occurrences of a position that end the game
    count_start: bool = True  # the first position of a game counts as an occurrence
    max_quiet_plies: int | None = 100  # plies without capture, then a draw
    max_plies: int | None = 512  # total plies, then a draw

    def problem(self) -> str | None:
        """The first contradiction between options."""
        try:
            board = b.parse_board(self.start)
        except PositionError as error:
            return f"start: {error}"
        try:
            camps = [b.square_number(name) for camp in self.camps for name in camp]
        except ValueError as error:
            return f"camps: {error}"
        kings = np.flatnonzero(board == b.KING)
        throne_men = board[b.THRONE] in (b.ATTACKER, b.DEFENDER)
        ranks = ("none", "king", "all")
        if len(kings) != 1:
            return f"start has {len(kings)} kings, needs one"
        if not (board == b.ATTACKER).any():
            return "start has no attackers"
        for square in camps:
            if camps.count(square) > 1:
                return f"square {b.square_name(square)} is in two camps"
        if b.THRONE in camps:
            return "camps include the throne e5"
        if set(camps) & set(b.CORNERS) and (self.escape == "corner" or self.corners_restricted):
            return "camps include a corner, which is the king's"
        if self.camps_hostile_to != "none" and not camps:
            return "camps_hostile_to is set, but there are no camps"
        if np.isin(camps, np.flatnonzero((board == b.DEFENDER) | (board == b.KING))).any():
            return "start puts a defender or the king into a camp"
        if self.corners_restricted and np.isin(board[list(b.CORNERS)], (b.ATTACKER, b.DEFENDER)).any():
            return "start puts a man on a corner, but corners_restricted is true"
        if throne_men and self.throne_stop != "all":
            return f"start puts a man on the throne, but throne_stop is {self.throne_stop!r}"
        if ranks.index(self.throne_stop) > ranks.index(self.throne_pass):
            wide_enough = " or ".join(map(repr, ranks[ranks.index(self.throne_stop) :]))
            return f"throne_stop = {self.throne_stop!r} needs throne_pass = {wide_enough}, not {self.throne_pass!r}"
        if kings[0] in _escape_squares(self):
            return "start puts the king where he has escaped"
        if self.throne_hostile_under_king and self.throne_hostile_to not in ("defenders", "all"):
            allowed = "throne_hostile_to = 'defenders' or 'all'"
            return f"throne_hostile_under_king needs {allowed}, not {self.throne_hostile_to!r}"
        return limits_problem(self)


def _escape_squares(rules: TablutRules) -> tuple[int, ...]:
    return b.CORNERS if rules.escape == "corner" else b.EDGE


TABLUTZERO = TablutRules(name="tablutzero")
OLD_NAMES = {"zero": "tablutzero", "zero-code": "tablutzero-code"}
RULE_SETS: Mapping[str, TablutRules] = {
    rules.name: rules
    for rules in (
        TABLUTZERO,
        replace(TABLUTZERO, name="tablutzero-code", max_quiet_plies=200),
        replace(
            TABLUTZERO,
            name="mcgill",
            throne_hostile_under_king=True,
            king_capture="strong-centre",
            no_move="either-loses",
            repetition="none",
            max_quiet_plies=None,
            max_plies=100,
        ),
        replace(
            TABLUTZERO,
            name="saami",
            escape="edge",
            corners_restricted=False,
            corners_hostile_to="none",
            king_capture="strong-centre",
            repetition="draw",
        ),
    )
}


class Tables:
    """A rule set compiled to sets of squares ([81] bool) and switches; 0: no limit."""

    def __init__(self, rules: TablutRules):
        self.start = b.parse_board(rules.start)  # [81] int8
        self._restrict(rules)
        self.escape = _set(_escape_squares(rules))  # [81]
        neighbours = [b.THRONE + row * b.SIZE + column for row, column in b.DIRECTIONS]
        self.strong = {  # [81] where the king falls only to four
            "weak": _set([]),
            "strong-centre": _set([b.THRONE, *neighbours]),
            "strong": np.ones(b.SQUARES, bool),
        }[rules.king_capture]
        self.edge = _set(b.EDGE)  # [81]
        self.throne = b.THRONE
        self.first = ("attackers", "defenders").index(rules.first)
        self.throne_hostile_under_king = rules.throne_hostile_under_king
        self.king_armed = rules.king_armed
        self.surround_loses = rules.surround_loses
        self.both_sides_need_moves = rules.no_move == "either-loses"
        self.count_start = rules.count_start
        self.repetition_draws = rules.repetition == "draw"
        self.repetition_limit = 0 if rules.repetition == "none" else rules.repetition_limit
        self.max_quiet_plies = rules.max_quiet_plies or 0
        self.max_plies = rules.max_plies or 0
        # Most plies that can pass without a capture before the game ends.
        self.longest_quiet = min(limit for limit in (self.max_quiet_plies, self.max_plies) if limit > 0)
        # Factors of the two counter planes; multiplied, so that engines agree to the bit.
        longest = rules.max_plies or DEFAULT_LONGEST
        self.quiet_scale = 1 / (rules.max_quiet_plies or longest)
        self.ply_scale = 1 / longest
        keys = zobrist_keys(3 * b.SQUARES + 1, seed=0x426F617264777269)
        self.piece_key = keys[:-1].reshape(3, b.SQUARES)  # [3, 81] uint64
        self.defenders_to_move_key = int(keys[-1])

    def _restrict(self, rules: TablutRules) -> None:
        """Sets where pieces may go, and what is hostile to them, by throne, corners and camps."""
        corners, throne = _set(b.CORNERS), _set([b.THRONE])
        camp_of = np.zeros(b.SQUARES, np.int8)  # 0: none
        for number, camp in enumerate(rules.camps, start=1):
            camp_of[[b.square_number(name) for name in camp]] = number
        camps = camp_of > 0
        self.stop = np.ones((3, b.SQUARES), bool)  # [3, 81] where an attacker, a defender, the king may end a move
        self.enter = np.ones((3, 4, b.SQUARES), bool)  # [3, 4, 81] what they may slide onto, by direction, if empty
        if rules.corners_restricted:
            self.stop[:2] &= ~corners
        for piece, rank in ((0, "all"), (1, "all"), (2, "king")):
            if rules.throne_stop not in (rank, "all"):
                self.stop[piece] &= ~throne
            if rules.throne_pass not in (rank, "all"):
                self.enter[piece] &= ~throne
        self.enter[1:] &= ~camps
        self.enter[0] &= ~camps | _reached_within_camp(camp_of)
        self.hostile = np.zeros((2, b.SQUARES), bool)  # [2, 81] empty squares that help to capture attackers, defenders
        for role, name in enumerate(("attackers", "defenders")):
            for squares, side in (
                (corners, rules.corners_hostile_to),
                (throne, rules.throne_hostile_to),
                (camps, rules.camps_hostile_to),
            ):
                if side in (name, "all"):
                    self.hostile[role] |= squares


compile_tables = functools.lru_cache(maxsize=64)(Tables)  # one object for a rule set


def _set(squares: Sequence[int]) -> np.ndarray:
    return np.isin(np.arange(b.SQUARES), squares)


def _reached_within_camp(camp_of: np.ndarray) -> np.ndarray:
    """[4, 81] camp squares a man arrives at, by direction, from a square of the same camp."""
    grid = np.pad(camp_of.reshape(b.SIZE, b.SIZE), 1)
    within = []
    for row_step, column_step in b.DIRECTIONS:
        before = grid[1 - row_step : 10 - row_step, 1 - column_step : 10 - column_step].reshape(-1)
        within.append((camp_of > 0) & (before == camp_of))
    return np.stack(within)
