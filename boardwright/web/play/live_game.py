"""One game of a person against a player, at the table: its position, its clock, and who thinks.

Here is what a game is and becomes; `live.py` keeps the games, asks the players and stores what happens.
"""

import random
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pydantic_core import to_json

from boardwright.arena.played import PlayedGame
from boardwright.errors import IllegalMoveError
from boardwright.games.base import CHANCE, ONGOING, Game, Outcome
from boardwright.games.record import GameRecord, result_of
from boardwright.records.live import ClockState, StoredLiveGame
from boardwright.web.play import schemas
from boardwright.web.play.clock import Clock
from boardwright.web.players.pool import Ticket
from boardwright.web.server.errors import ConflictError
from boardwright.web.study.positions import Json, Played, replay, view_text

PERSON = "person"  # the player's name in the record


def new_game(query: schemas.NewGame, game: Game) -> StoredLiveGame:
    """A game that begins, with an id that nobody guesses."""
    clock = None
    if query.clock is not None:
        base, increment = query.clock.base, query.clock.increment
        clock = ClockState(base=base, increment=increment, remaining=(base, base))
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


def game_again(stored: StoredLiveGame) -> schemas.NewGame:
    """What to ask for to play a game once more with sides changed."""
    clock = None
    if stored.clock is not None:
        clock = schemas.ClockQuery(base=stored.clock.base, increment=stored.clock.increment)
    return schemas.NewGame(
        game=stored.game,
        rules=stored.rules,
        role=0 if stored.person else 1,
        opponent=stored.opponent,
        clock=clock,
        position=stored.start,
    )


class Table:
    """A game that goes on or has just ended. `now` is of a clock that never goes back, seconds."""

    def __init__(self, stored: StoredLiveGame, game: Game, now: float):
        """Raises BoardwrightError for a stored game that cannot be replayed."""
        self.stored = stored
        self.game = game
        self.played: Played = replay(game, stored.start, stored.actions)
        self.clock = None if stored.clock is None else Clock(state=stored.clock)
        self.ticket: Ticket | None = None  # of the player's thinking
        self.thinking = False
        self.preparing = False
        self.failures = 0  # of the player, running
        self.failure: str | None = None  # the last of them, once the player is asked no more
        self.turn_began = now
        self.touched = now
        self.nets: set[str] = set()  # checksums of those that the player has moved with, since the server began
        self._view: str | None = None  # the view as JSON, until it changes

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.stored.result != ONGOING

    @property
    def to_move(self) -> int:
        """0, 1 or CHANCE."""
        return self.played.position.role_to_move

    def check_open(self) -> None:
        """Raises ConflictError once the game is over."""
        if self.over:
            raise ConflictError(f"the game is over: {self.stored.reason}")

    def check_turn(self, version: int) -> None:
        """Raises ConflictError where the person cannot move, or means a board that has changed since."""
        self.check_open()
        if version != self.stored.version:
            raise ConflictError("the game has gone on meanwhile, perhaps in another window: look again, then move")
        if self.to_move != self.stored.person:
            raise ConflictError("it is not your turn")

    def parse(self, text: str) -> tuple[int, ...]:
        """The actions a move's text means; raises IllegalMoveError."""
        position = self.played.position
        if position.outcome is not None:
            raise IllegalMoveError(f"the game is over: {position.outcome.reason}")
        return tuple(self.game.parse_move(position.core, text))

    def play(self, actions: tuple[int, ...], now: float, seconds: float) -> None:
        """A whole move by whoever is to move, after so much thought; raises IllegalMoveError and changes nothing."""
        role = self.to_move
        self.played = self.played.after(actions)
        if self.clock is not None and role != CHANCE:
            self.clock = self.clock.moved(role, now)
        times = (*self.stored.seconds, seconds, *[0.0] * (len(actions) - 1))
        self._changed(now, actions=(*self.stored.actions, *actions), seconds=times)

    def take_back(self, now: float) -> None:
        """To before the person's last move; raises ConflictError where there is none."""
        self.check_open()
        turns = [number for number, move in enumerate(self.played.moves) if move.role == self.stored.person]
        if not turns:
            raise ConflictError("there is nothing to take back")
        kept = sum(len(move.actions) for move in self.played.moves[: turns[-1]])
        actions, seconds = self.stored.actions[:kept], self.stored.seconds[:kept]
        if self.clock is not None:
            clock = self.clock.taken_back([move.role for move in self.played.moves[turns[-1] :]], now)
            if min(clock.state.remaining) <= 0:
                raise ConflictError("there is too little time on the clock to take that back")
            self.clock = clock
        self.played = replay(self.game, self.stored.start, actions)
        self._changed(now, actions=actions, seconds=seconds, undone=self.stored.undone + 1)

    def end(
        self, outcome: Outcome, now: float, *, resigned: int | None = None, flagged: int | None = None
    ) -> PlayedGame:
        """The game ends; what goes into the record."""
        if self.clock is not None:
            self.clock = self.clock.stopped(now)
        self._changed(now, result=result_of(outcome), reason=outcome.reason)
        return self._recorded(resigned, flagged)

    def abandon(self) -> PlayedGame:
        """Nobody comes back to it; what goes into the record, without a result."""
        self.stored = replace(self.stored, reason="abandoned")
        return self._recorded(None, None)

    def _recorded(self, resigned: int | None, flagged: int | None) -> PlayedGame:
        stored = self.stored
        record = GameRecord(
            game=self.game.name,
            rules=self.game.rules,
            start=stored.start,
            actions=stored.actions,
            result=stored.result,
            reason=stored.reason,
            resigned=resigned,
        )
        players = (PERSON, stored.opponent) if stored.person == 0 else (stored.opponent, PERSON)
        return PlayedGame(record=record, players=players, seconds=stored.seconds, forfeited_by=flagged)

    def start_clock(self, now: float) -> None:
        """The time of whoever is to move runs."""
        self.turn_began = now
        if self.clock is not None and self.to_move != CHANCE:
            self.clock = self.clock.started(self.to_move, now)

    def player_failed(self, error: str, most: int, now: float) -> None:
        """The player did not move; after so many times running it is asked no more, and the page is to say why."""
        self.ticket, self.thinking, self.preparing = None, False, False
        if self.clock is not None:
            self.clock = self.clock.stopped(now)
        self.failures += 1
        self.failure = error if self.failures >= most else None
        self.status_changed()

    def _changed(self, now: float, **fields: Any) -> None:
        clock = None if self.clock is None else self.clock.stopped(now).state
        self.stored = replace(self.stored, **fields, clock=clock, version=self.stored.version + 1)
        self.turn_began = self.touched = now
        self._view = None

    def status_changed(self) -> None:
        """Something a page shows has changed that is not kept: who thinks, whose time runs."""
        self.stored = replace(self.stored, version=self.stored.version + 1)

    def summary(self, now: float) -> Json:
        """All of a `schemas.LiveGame` but the view."""
        stored, clock = self.stored, None
        if self.clock is not None:
            clock = {"remaining": self.clock.remaining(now), "running": self.clock.running}
        return {
            "id": stored.id,
            "game": stored.game,
            "rules": stored.rules,
            "human": stored.person,
            "opponent": stored.opponent,
            "ply": self.played.position.plies,
            "clock": clock,
            "thinking": self.thinking,
            "preparing": self.preparing,
            "failure": self.failure,
            "result": _result_json(stored),
            "created": stored.created,
            "version": stored.version,
        }

    def forget_view(self) -> None:
        """Lets go of the board's text, which may be large; it is made again when it is asked for."""
        self._view = None

    def text(self, now: float) -> str:
        """A `schemas.LiveGame` as JSON; its view, made once a move, has legal moves if the person is to choose."""
        if self._view is None:
            chooses = not self.over and self.to_move == self.stored.person
            self._view = view_text(self.played, with_legal=chooses)
        return f'{_dump(self.summary(now))[:-1]},"view":{self._view}}}'


def _result_json(stored: StoredLiveGame) -> Json | None:
    if stored.result == ONGOING:
        return None
    return {"winner": stored.result if stored.result in (0, 1) else None, "reason": stored.reason}


def _dump(value: Any) -> str:
    return to_json(value).decode()
