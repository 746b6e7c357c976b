"""Events, the matches and tournaments of the arena: conditions, schedule, and the games they lead to.

Conditions of an event beyond the rules of its game:

* `seconds` is the time per move of every player whose spec sets no limit (`time=`, `nodes=`, `sims=`, `depth=`). It is
  passed to the player as its limit; a player that takes longer is not penalised, but its time is recorded.
* A `clock` is a budget for the whole game. A player whose flag falls forfeits. Players without a limit of their own get
  a share of their remaining time as limit.
* `max_plies` ends a game of that length as a draw.
* `adjudicate` ends a game whose result the game's own tables prove.

Every game of an event has a number, and everything about it follows from that number and the event, so an event that
was stopped resumes with the missing numbers. Numbers run round by round: in each round every pairing plays one opening
twice with the roles swapped, so stopping early leaves a fair half. All pairings of a round play the same opening.
"""

import hashlib
import itertools
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from boardwright.agents.base import Limit
from boardwright.agents.netchoice import net_checksum
from boardwright.agents.players import make_agent
from boardwright.agents.specs import current_spec, seconds
from boardwright.arena import openings
from boardwright.arena.openings import Beginning, beginnings
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import Game
from boardwright.games.record import GameRecord

MOVES_AHEAD = 25  # number of moves that the time on a clock is shared among
MAX_SHARE = 0.5  # of the time left, for one move
INCREMENT_SHARE = 0.75  # of the increment is used at once, so that the clock does not run down
RESERVE = 0.05  # seconds that are never used: calling a player takes time too


@dataclass(frozen=True)
class Clock:
    """A player's time for a whole game."""

    seconds: float
    increment: float = 0.0  # added after each move

    def share(self, left: float) -> float:
        """Seconds for a move when `left` seconds remain."""
        usable = max(left - RESERVE, 0.0)
        return min(usable / MOVES_AHEAD + self.increment * INCREMENT_SHARE, usable * MAX_SHARE)


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """The conditions of a match; by default every player keeps to its own limits and no game is stopped."""

    seconds: float | None = None
    clock: Clock | None = None
    max_plies: int | None = None
    adjudicate: bool = False

    def limit(self, left: float | None) -> Limit:
        """The limit of a player without one of its own, with `left` seconds on its clock if there is a clock."""
        bounds = [] if self.seconds is None else [self.seconds]
        if self.clock is not None and left is not None:
            bounds.append(max(self.clock.share(left), 0.001))
        return Limit(seconds=min(bounds, default=None))


def parse_clock(text: str) -> Clock:
    """Reads `60s` or `60s+1s`; raises BoardwrightError."""
    match = re.fullmatch(r"([^+]+)(?:\+([^+]+))?", text)
    try:
        if match is None:
            raise ValueError("like 60s+1s")
        return Clock(seconds(match[1]), 0.0 if match[2] in (None, "0", "0s", "0ms") else seconds(match[2]))
    except ValueError:
        raise BoardwrightError(
            f"--clock {text!r}: give the time for a game and the increment per move, such as 60s+1s"
        ) from None


@dataclass(frozen=True, kw_only=True)
class ScheduledGame:
    """One game to be played."""

    index: int
    players: tuple[str, str]  # spec of the player of each role
    beginning: Beginning
    seeds: tuple[int, int]  # for the player of each role, where its spec sets none
    chance_seed: int  # of chance moves; the same in both games of a pair


@dataclass(frozen=True, kw_only=True)
class PlayedGame:
    """One finished game between two players, named by their specs."""

    record: GameRecord  # rules, every action, result and reason
    players: tuple[str, str]  # spec of the player of each role
    opening: int = 0  # how many of the first actions were given, not chosen by the players
    seconds: tuple[float, ...] = ()  # thinking time by action; 0 for given ones
    forfeited_by: int | None = None  # the role that broke the rules of the match (time, illegal move, crash)
    index: int = 0  # which game of its match or tournament it is
    nets: tuple[str, str] = ("", "")  # checksum of the net that the player of each role used; empty for none


@dataclass(frozen=True, kw_only=True)
class Event:
    """Everything that decides the games except their number: an event can always be continued with more games."""

    game: str
    rules: Any  # the rule set, as the game holds it
    players: tuple[str, ...]  # specs; of a match two, which may be the same
    openings: str  # see `openings.py`
    seed: int
    conditions: Conditions
    gauntlet: bool = False  # the first against all others, instead of all against all
    nets: tuple[tuple[str, str], ...] = ()  # (spec, checksum of its net) of players that use one; see `with_nets`

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", tuple(current_spec(spec) for spec in self.players))
        object.__setattr__(self, "nets", tuple((current_spec(spec), net) for spec, net in self.nets))

    def bound_game(self) -> Game:
        """The game under its rules."""
        return registry.game(self.game, self.rules)

    def pairings(self) -> list[tuple[int, int]]:
        """The pairs of players, by number: all pairs, or in a gauntlet those with the first player."""
        pairs = itertools.combinations(range(len(self.players)), 2)
        return [pair for pair in pairs if pair[0] == 0 or not self.gauntlet]

    def schedule(self) -> Iterator[ScheduledGame]:
        """The games in order, without end; the first of a pairing has role 0 in those of even number."""
        game, index, pairings = self.bound_game(), itertools.count(), self.pairings()
        for number, beginning in enumerate(beginnings(game, self.openings, derived_seed(self.seed, "openings"))):
            for first, second in pairings:
                for pair in ((self.players[first], self.players[second]), (self.players[second], self.players[first])):
                    place = next(index)
                    of_first, of_second = (derived_seed(self.seed, "player", place, role) for role in (0, 1))
                    yield ScheduledGame(
                        index=place,
                        players=pair,
                        beginning=beginning,
                        seeds=(of_first, of_second),
                        chance_seed=derived_seed(self.seed, "chance", number),
                    )

    def check(self) -> None:
        """Raises BoardwrightError for an error that every game would have: in players, options, openings."""
        game = self.bound_game()
        for spec in self.players:
            make_agent(spec, game).close()
        openings.identity(game, self.openings)

    def with_nets(self) -> Self:
        """The event with the checksums of its players' current nets: only games of these nets belong to it."""
        found = {spec: net_checksum(spec) for spec in self.players}
        return replace(self, nets=tuple(sorted((spec, net) for spec, net in found.items() if net)))

    def check_nets(self, game: PlayedGame) -> None:
        """Raises BoardwrightError for a game that was played by another net than the event's."""
        known = dict(self.nets)
        for spec, net in zip(game.players, game.nets, strict=True):
            if known.get(spec, net) != net:
                raise BoardwrightError(
                    f"player {spec!r}: its net changed after the start, or differs or is missing on one of the "
                    "machines; finished games are kept: start again with a copy of the net"
                )

    def config(self) -> dict[str, Any]:
        """The event as plain data: two events with the same config are the same.

        It has no key "nets" if no player has a net, like the configs of older versions.
        """
        nets = {spec: net for spec, net in self.nets if spec in self.players}
        return {
            "game": self.game,
            "rules": asdict(self.rules),
            "players": list(self.players),
            "openings": openings.identity(self.bound_game(), self.openings),
            "seed": self.seed,
            "conditions": asdict(self.conditions),
            "gauntlet": self.gauntlet,
            **({"nets": nets} if nets else {}),
        }


def check_even(option: str, games: int) -> int:
    """A number of games that makes whole pairs; raises BoardwrightError for others."""
    if games < 2 or games % 2:
        raise BoardwrightError(
            f"{option} {games}: give an even number, since every opening is played twice, with the roles swapped"
        )
    return games


def derived_seed(seed: int, *path: str | int) -> int:
    """A 64-bit seed of its own for each use of a match's seed."""
    return int.from_bytes(hashlib.blake2b(repr((seed, *path)).encode(), digest_size=8).digest(), "big")
