"""One game between two players, played under the conditions of a match.

A player that raises an error, answers with an illegal move or lets its flag fall has forfeited: the other
wins, and the record says why. A player inside this process cannot be interrupted while it thinks;
programs behind `external:` can, and are.
"""

import contextlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from boardwright.agents.base import Agent, Limit, choose_move, move_actions
from boardwright.agents.netchoice import net_checksum
from boardwright.agents.players import make_agent, player_of
from boardwright.agents.specs import sets_limit, split, with_seed
from boardwright.arena.event import Conditions, PlayedGame, ScheduledGame
from boardwright.errors import BoardwrightError, IllegalMoveError, printable
from boardwright.games.base import CHANCE, Game, Outcome, Position
from boardwright.games.record import GameRecord, result_of

MAX_REASON_LENGTH = 500  # characters
T = TypeVar("T")


class ForfeitError(Exception):
    """A player broke the rules of the match; the message says how."""


@dataclass
class _Seat:
    """A player at the board."""

    agent: Agent
    limited: bool  # by its own spec
    left: float | None  # seconds on its clock


def play_game(game: Game, scheduled: ScheduledGame, conditions: Conditions) -> PlayedGame:
    """Plays a game to its end; a player that fails forfeits, so there is always a result."""
    beginning, chance = scheduled.beginning, random.Random(scheduled.chance_seed)
    position = beginning.position(game)
    seconds = [0.0] * len(beginning.actions)
    outcome, forfeited_by, seats = _stopped(position, conditions), None, {}
    try:
        while outcome is None:
            role = position.role_to_move
            if role == CHANCE:
                position = position.play(chance.choice(position.legal_actions()))
                seconds.append(0.0)
            else:
                try:
                    if role not in seats:
                        seats[role] = _seat(game, scheduled, role, conditions)
                        _forfeit_on_error(seats[role].agent.prepare)  # before the clock runs
                    actions, elapsed = _move(seats[role], position, conditions)
                except ForfeitError as forfeit:
                    forfeited_by, outcome = role, Outcome(1 - role, f"{game.roles[role]} forfeit: {forfeit}")
                    break
                position = position.play_all(actions)
                seconds += [elapsed] + [0.0] * (len(actions) - 1)
            outcome = _stopped(position, conditions)
    finally:
        for seat in seats.values():
            with contextlib.suppress(Exception):
                seat.agent.close()
    record = GameRecord.of(position, start=beginning.start)
    first, second = scheduled.players
    return PlayedGame(
        record=replace(record, result=result_of(outcome), reason=outcome.reason),
        players=scheduled.players,
        opening=len(beginning.actions),
        seconds=tuple(seconds),
        forfeited_by=forfeited_by,
        index=scheduled.index,
        # Read after the game: a net that changed before a player read it, or since, is noticed.
        nets=(net_checksum(first), net_checksum(second)),
    )


def _seat(game: Game, scheduled: ScheduledGame, role: int, conditions: Conditions) -> _Seat:
    spec = scheduled.players[role]
    player, (_, given) = player_of(spec, game), split(spec)
    agent = _forfeit_on_error(lambda: make_agent(with_seed(player, spec, scheduled.seeds[role]), game))
    return _Seat(agent, sets_limit(given), None if conditions.clock is None else conditions.clock.seconds)


def _move(seat: _Seat, position: Position, conditions: Conditions) -> tuple[tuple[int, ...], float]:
    """(actions of a whole move, seconds it took)."""
    limit = Limit() if seat.limited else conditions.limit(seat.left)
    begin = time.perf_counter()
    actions = _forfeit_on_error(lambda: move_actions(position, choose_move(seat.agent, position, limit)))
    elapsed = time.perf_counter() - begin
    if conditions.clock is not None and seat.left is not None:
        if elapsed > seat.left:
            raise ForfeitError(f"out of time, with {seat.left:.2f} s left the move took {elapsed:.2f} s")
        seat.left += conditions.clock.increment - elapsed
    return actions, elapsed


def _forfeit_on_error(call: Callable[[], T]) -> T:
    try:
        return call()
    except IllegalMoveError as error:
        raise ForfeitError(f"illegal {_reason(error)}") from error
    except Exception as error:
        raise ForfeitError(_reason(error)) from error


def _stopped(position: Position, conditions: Conditions) -> Outcome | None:
    """How the game has ended, by its rules or by the conditions of the match."""
    if position.outcome is not None:
        return position.outcome
    if conditions.adjudicate and position.role_to_move != CHANCE:
        known = position.game.proven_outcome(position.core)
        if known is not None:
            return Outcome(known.winner, f"adjudicated: {known.reason}")
    if conditions.max_plies is not None and position.plies >= conditions.max_plies:
        return Outcome(None, f"adjudicated: {conditions.max_plies} plies")
    return None


def _reason(error: Exception) -> str:
    """An error in one line, with its class unless it is a BoardwrightError."""
    line = str(error).split("\n")[0]
    text = printable(line if isinstance(error, BoardwrightError) else f"{type(error).__name__}: {line}")
    return text if len(text) <= MAX_REASON_LENGTH else text[: MAX_REASON_LENGTH - 1] + "…"
