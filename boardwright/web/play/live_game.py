"""One game of a person against a player: its position, its clock, and the state of the player.

A `LiveGame` only changes its own state; `live_games.py` keeps the games, runs the players and stores every change.
"""

import asyncio
import copy
import functools
import random
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from boardwright.arena.event import PlayedGame
from boardwright.errors import BoardwrightError, IllegalMoveError
from boardwright.games.base import CHANCE, ONGOING, Game, Outcome
from boardwright.games.record import GameRecord, result_of
from boardwright.records.live import ClockState, StoredLiveGame
from boardwright.web.play.clock import Clock
from boardwright.web.players.pool import Ticket
from boardwright.web.players.specs import current_net
from boardwright.web.server.http import Actions, ConflictError, Json, Model, MoveText, Name, PositionText, Role, Spec
from boardwright.web.settings import Settings
from boardwright.web.study.positions import replay, view
from boardwright.web.study.schemas import PositionView

PERSON = "person"  # the person's name in the record
_recent_view = functools.lru_cache(maxsize=64)(view)  # many pages may ask for the same one, and it may be large


class ClockQuery(Model):
    """Time for all moves of a role, and the increment per move, in seconds."""

    base: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
    increment: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0.0


class NewGame(Model):
    """A game to start against a player."""

    game: Name
    rules: Name | None = None
    role: Role | Literal["random"] = "random"
    opponent: Spec
    clock: ClockQuery | None = None
    position: PositionText | None = None


class MoveQuery(Model):
    """A whole move, as actions or as text, for one version of the game."""

    actions: Annotated[Actions, Field(max_length=64)] | None = None
    text: MoveText | None = None
    version: int


class Nothing(Model):
    """A request without a body."""


class ClockInfo(Model):
    """Seconds left to each role, and the role whose time runs."""

    remaining: tuple[float, float]
    running: Role | None


class LiveSummary(Model):
    """A game of a person against a player, without its board; `version` rises with every change."""

    id: str
    game: str
    rules: str
    human: Role
    opponent: str
    ply: int
    clock: ClockInfo | None
    thinking: bool
    preparing: bool
    failure: str | None  # why the player stopped; requesting the game retries it
    result: Outcome | None
    created: str
    version: int


class LiveGameInfo(LiveSummary):
    """A game of a person against a player."""

    view: PositionView


def new_game(query: NewGame, game: Game) -> StoredLiveGame:
    """A new game with an id that cannot be guessed."""
    clock = query.clock and ClockState(**dict(query.clock), remaining=(query.clock.base, query.clock.base))
    return StoredLiveGame(
        id=secrets.token_urlsafe(9),
        game=game.name,
        rules=game.rules.name,
        start=query.position,
        actions=(),
        seconds=(),
        person=random.randrange(2) if query.role == "random" else query.role,
        opponent=query.opponent,
        clock=clock,
        created=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def rematch(stored: StoredLiveGame) -> NewGame:
    """The request for the same game with sides changed."""
    clock = stored.clock and ClockQuery(base=stored.clock.base, increment=stored.clock.increment)
    return NewGame(
        game=stored.game,
        rules=stored.rules,
        role=0 if stored.person else 1,
        opponent=stored.opponent,
        clock=clock,
        position=stored.start,
    )


class LiveGame:
    """A game that is played or has just ended. `now` is seconds of a monotonic clock."""

    def __init__(self, stored: StoredLiveGame, game: Game, now: float):
        """Raises BoardwrightError for a stored game that cannot be replayed."""
        self.stored = stored
        self.stored_version: int | None = None  # in the database; None before it is stored
        self.lock = asyncio.Lock()  # held while a change is stored
        self.game = game
        self.line = replay(game, stored.start, stored.actions)
        self.clock = None if stored.clock is None else Clock(state=stored.clock)
        self.ticket: Ticket | None = None  # of the player's search
        self.thinking = False
        self.preparing = False
        self.failures = 0  # of the player, in a row
        self.failure: str | None = None  # the last one, once the player is not retried any more
        self.turn_began = now
        self.touched = now
        # Checksums of the nets that the player moved with since the server started.
        self.nets: frozenset[str] = frozenset()

    def copy(self) -> "LiveGame":
        """A copy to change; `adopt` makes it the game once it is stored."""
        return copy.copy(self)

    def adopt(self, changed: "LiveGame") -> None:
        """Takes over the game as it was stored; its version rises above those shown in the meantime."""
        shown, self.stored_version = self.stored.version, changed.stored.version
        for name in ("stored", "line", "clock", "nets", "turn_began", "touched"):
            setattr(self, name, getattr(changed, name))
        if self.stored.version <= shown:
            self.stored = replace(self.stored, version=shown + 1)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.stored.result != ONGOING

    @property
    def to_move(self) -> int:
        """0, 1 or CHANCE."""
        return self.line.position.role_to_move

    def check_open(self) -> None:
        """Raises ConflictError once the game is over."""
        if self.over:
            raise ConflictError(f"the game is over: {self.stored.reason}")

    def has_flagged(self, role: int, now: float) -> bool:
        """Whether the time of a role, which runs, has run out."""
        return self.clock is not None and self.clock.running == role and self.clock.remaining(now)[role] <= 0

    def play(self, actions: tuple[int, ...], now: float, seconds: float) -> None:
        """Plays a whole move that took `seconds`; raises IllegalMoveError and then changes nothing."""
        role = self.to_move
        self.line = self.line.play(actions)
        if self.clock is not None and role != CHANCE:
            self.clock = self.clock.after_move(role, now)
        times = (*self.stored.seconds, seconds, *[0.0] * (len(actions) - 1))
        self._change(now, actions=(*self.stored.actions, *actions), seconds=times)

    def play_query(self, query: MoveQuery, now: float) -> None:
        """Plays the person's move; raises IllegalMoveError, and ConflictError if the person cannot move now."""
        self.check_open()
        if query.version != self.stored.version:
            raise ConflictError("the game has changed, perhaps in another window: check the board, then move")
        if self.to_move != self.stored.person:
            raise ConflictError("it is not your turn")
        if self.has_flagged(self.stored.person, now):
            raise ConflictError("your time has run out")
        if (query.actions is None) == (query.text is None):
            raise BoardwrightError("give a move either as actions or as text")
        position = self.line.position
        if query.text is not None and position.outcome is not None:
            raise IllegalMoveError(f"the game is over: {position.outcome.reason}")
        actions = query.actions if query.text is None else self.game.parse_move(position.core, query.text)
        self.play(tuple(actions or ()), now, now - self.turn_began)

    def resign(self, now: float) -> PlayedGame:
        """Ends the game with a loss of the person and returns its record; raises ConflictError."""
        self.check_open()
        person = self.stored.person
        return self.end(Outcome(1 - person, f"{self.game.roles[person]} resigned"), now, resigned=person)

    def play_chance(self, now: float) -> PlayedGame | None:
        """Plays the chance moves that are due; ends a game whose position is over, and returns its record then."""
        while not self.over:
            if (outcome := self.line.position.outcome) is not None:
                return self.end(outcome, now)
            if self.to_move != CHANCE:
                break
            self.play((random.choice(self.line.position.legal_actions()),), now, 0.0)
        return None

    def take_back(self, now: float) -> None:
        """Goes back to before the person's last move; raises ConflictError if there is no such move."""
        self.check_open()
        turns = [number for number, move in enumerate(self.line.moves) if move.role == self.stored.person]
        if not turns:
            raise ConflictError("there is nothing to take back")
        kept = sum(len(move.actions) for move in self.line.moves[: turns[-1]])
        actions, seconds = self.stored.actions[:kept], self.stored.seconds[:kept]
        if self.clock is not None:
            clock = self.clock.after_undo([move.role for move in self.line.moves[turns[-1] :]], now)
            if min(clock.state.remaining) <= 0:
                raise ConflictError("there is too little time on the clock to take that back")
            self.clock = clock
        self.line = replay(self.game, self.stored.start, actions)
        self._change(now, actions=actions, seconds=seconds, undone=self.stored.undone + 1)

    def end(
        self, outcome: Outcome, now: float, *, resigned: int | None = None, flagged: int | None = None
    ) -> PlayedGame:
        """Ends the game and returns its record."""
        if self.clock is not None:
            self.clock = self.clock.stop(now)
        self._change(now, result=result_of(outcome), reason=outcome.reason)
        return self.record(outcome.reason, resigned=resigned, flagged=flagged)

    def record(self, reason: str, *, resigned: int | None = None, flagged: int | None = None) -> PlayedGame:
        """The game for the record, over or abandoned."""
        stored = self.stored
        record = GameRecord(
            game=self.game.name,
            rules=self.game.rules,
            start=stored.start,
            actions=stored.actions,
            result=stored.result,
            reason=reason,
            resigned=resigned,
        )
        players = (PERSON, stored.opponent) if stored.person == 0 else (stored.opponent, PERSON)
        return PlayedGame(record=record, players=players, seconds=stored.seconds, forfeited_by=flagged)

    def with_net(self, played: PlayedGame, settings: Settings) -> PlayedGame:
        """The record with the checksum of the player's net: empty if it used several, the current one if it has not
        moved. It reads the net: do not call it on the event loop.
        """
        nets = self.nets or {current_net(self.stored.opponent, self.game, settings)}
        net = "" if len(nets) > 1 else next(iter(nets))
        return replace(played, nets=("", net) if self.stored.person == 0 else (net, ""))

    def start_clock(self, now: float) -> None:
        """Starts the time of the role to move."""
        self.turn_began = now
        if self.clock is not None and self.to_move != CHANCE:
            self.clock = self.clock.start(self.to_move, now)

    def player_failed(self, error: str, max_failures: int, now: float) -> None:
        """Counts a failure of the player; after `max_failures` in a row the page shows it."""
        self.player_stopped()
        if self.clock is not None:
            self.clock = self.clock.stop(now)
        self.failures += 1
        self.failure = error if self.failures >= max_failures else None
        self.bump_version()

    def player_stopped(self) -> None:
        """The player does not search any more."""
        self.ticket, self.thinking, self.preparing = None, False, False

    def _change(self, now: float, **fields: Any) -> None:
        clock = None if self.clock is None else self.clock.stop(now).state
        self.stored = replace(self.stored, **fields, clock=clock, version=self.stored.version + 1)
        self.turn_began = self.touched = now

    def bump_version(self) -> None:
        """Marks a change that is shown but not stored: who thinks, whose clock runs."""
        self.stored = replace(self.stored, version=self.stored.version + 1)

    def summary(self, now: float) -> Json:
        """The game as `LiveSummary`."""
        stored, clock = self.stored, self.clock
        outcome = Outcome(stored.result if stored.result in (0, 1) else None, stored.reason) if self.over else None
        return {
            **{name: getattr(stored, name) for name in ("id", "game", "rules", "opponent", "created", "version")},
            **{name: getattr(self, name) for name in ("thinking", "preparing", "failure")},
            "human": stored.person,
            "ply": self.line.position.plies,
            "clock": None if clock is None else {"remaining": clock.remaining(now), "running": clock.running},
            "result": outcome,
        }

    def as_json(self, now: float) -> Json:
        """The game as `LiveGameInfo`; its view has legal moves only if the person is to move."""
        with_legal = not self.over and self.to_move == self.stored.person
        return {**self.summary(now), "view": _recent_view(self.line, with_legal=with_legal)}
