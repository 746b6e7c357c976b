"""Rule sets as data, and the tables both engines are built from."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace

from boardwright.games.draughts import board as b
from boardwright.games.engines import zobrist_keys
from boardwright.games.rulefile import CheckedRules, limits_problem

DEFAULT_LONGEST_QUIET = 80  # what the inactivity plane takes for the maximum where the rules set none
MAX_HISTORY = 8


@dataclass(frozen=True, kw_only=True)
class DraughtsRules(CheckedRules):
    """One rule set of English draughts. Plies are whole moves."""

    repetition_limit: int | None = 3  # occurrences of a position, same side to move, that draw
    max_quiet_plies: int | None = 80  # plies of inactivity that draw
    man_moves_are_quiet: bool = False  # inactivity ends by captures alone, not by moving a man
    max_plies: int | None = None  # total plies that draw

    def problem(self) -> str | None:
        """The limits must end every game."""
        return limits_problem(self)


WCDF = DraughtsRules(name="wcdf")
RULE_SETS: Mapping[str, DraughtsRules] = {
    "wcdf": WCDF,
    "paper": replace(WCDF, name="paper", max_quiet_plies=40, man_moves_are_quiet=True, max_plies=200),
}


@dataclass(frozen=True)
class View:
    """What an observation shows: the number of positions, and whether more than the pieces."""

    history: int = 1
    extra_planes: bool = True


VIEWS: Mapping[str, View] = {
    "full": View(),
    "paper": View(extra_planes=False),
    **{f"full-{n}": View(history=n) for n in range(2, MAX_HISTORY + 1)},
}


class Tables:
    """A rule set and a view compiled to switches and keys; 0: no limit."""

    def __init__(self, rules: DraughtsRules, view: View):
        self.repetition_limit = rules.repetition_limit or 0
        self.max_quiet_plies = rules.max_quiet_plies or 0
        self.man_moves_are_quiet = rules.man_moves_are_quiet
        self.max_plies = rules.max_plies or 0
        # Most plies that can pass without a capture or a man's move before the game ends.
        self.longest_quiet = min(limit for limit in (self.max_quiet_plies, self.max_plies) if limit > 0)
        self.history = view.history
        self.extra_planes = view.extra_planes
        # Factor of the inactivity plane; multiplied, so that engines agree to the bit.
        self.quiet_scale = 1 / (rules.max_quiet_plies or DEFAULT_LONGEST_QUIET)
        keys = zobrist_keys(5 * b.SQUARES + 1, seed=0x4472617567687473)
        self.piece_key = keys[: 4 * b.SQUARES].reshape(4, b.SQUARES)  # black man, black king, white man, white king
        self.continuing_key = keys[4 * b.SQUARES : -1].copy()  # [32] uint64: the piece that must continue capturing
        self.white_to_move_key = int(keys[-1])


compile_tables = functools.lru_cache(maxsize=64)(Tables)  # one object for a rule set and view
