"""The session behind every protocol: a player, a position, and at most one search at a time, in its own thread.

The thread lets the engine read commands during a search. A search is stopped through its watch; a player that
cannot be interrupted answers when its own limit is reached.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from boardwright.agents.base import Agent, Choice, Limit, choose_move
from boardwright.agents.players import make_agent
from boardwright.agents.specs import current_spec
from boardwright.errors import BoardwrightError
from boardwright.games.base import CHANCE, Game, Position
from boardwright.games.lines import whole_moves


@dataclass(frozen=True)
class Thought:
    """What a player has found so far, or its answer."""

    choice: Choice
    line: list[tuple[Position, tuple[int, ...]]]  # the expected moves, each as the position before it and its actions
    seconds: float  # since it began

    @property
    def rate(self) -> float:
        """Positions or simulations per second."""
        return (self.choice.nodes or self.choice.simulations) / max(self.seconds, 1e-6)


class EngineSession:
    """A player, the current position, and its search."""

    def __init__(self, game: Game, spec: str):
        self.spec = current_spec(spec)
        self.game = game
        self.agent = make_agent(spec, game)
        self.position = game.start()
        self._search: _Search | None = None  # until it has answered
        self._thread: threading.Thread | None = None  # of the last search

    @property
    def busy(self) -> bool:
        """Whether a search is running."""
        return self._search is not None

    def check_free(self) -> None:
        """Raises BoardwrightError while a search is running."""
        if self.busy:
            raise BoardwrightError("still thinking: send stop and wait for the answer")

    def start_game(self, game: Game) -> None:
        """Starts a new game, perhaps under other rules."""
        self.check_free()
        agent = make_agent(self.spec, game)
        self.agent.close()
        self.game, self.agent, self.position = game, agent, game.start()

    def think(
        self, limit: Limit, report: Callable[[Thought], None], answer: Callable[[Thought | BoardwrightError], None]
    ) -> None:
        """Starts a search. `report` gets what it has found so far; `answer` its result, once, when the session is free.

        Raises BoardwrightError where the game is over or chance is to move.
        """
        self.check_free()
        if self.position.outcome is not None:
            raise BoardwrightError(f"the game is over: {self.position.outcome.reason}")
        if self.position.role_to_move == CHANCE:
            raise BoardwrightError("chance is to move, which no player decides: send a position after it")
        search = _Search(self.position, report)

        def run() -> None:
            result = search.run(self.agent, limit)
            self._search = None
            if not search.abandoned:
                answer(result)

        self._search, self._thread = search, threading.Thread(target=run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Makes the player answer as soon as it can."""
        search = self._search
        if search is not None:
            search.stopped = True

    def abandon(self) -> None:
        """Ends a search and drops its answer."""
        search = self._search
        if search is not None:
            search.stopped = search.abandoned = True
        self.wait()

    def wait(self) -> None:
        """Waits until the player has answered."""
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Stops the search, waits for its answer, and frees the player."""
        self.stop()
        self.wait()
        self.agent.close()


class Engine:
    """The engine's side of a protocol: base class."""

    def __init__(self, bound: Game, spec: str, write: Callable[[str], None]):
        """A player of a game; `write` sends a line."""
        self.session = EngineSession(bound, spec)
        self._write = write

    def handle(self, line: str) -> bool:
        """Does what a line says; False once the engine is to quit."""
        raise NotImplementedError

    def close(self) -> None:
        """Stops a search, waits for its answer, and frees the player."""
        self.session.close()


class _Search:
    """One search, and the watch over it."""

    def __init__(self, position: Position, report: Callable[[Thought], None]):
        self.stopped = False
        self.abandoned = False
        self._position = position
        self._report = report
        self._begin = time.perf_counter()

    def report(self, choice: Choice) -> None:
        if not self.abandoned:
            self._report(self._thought(choice))

    def run(self, agent: Agent, limit: Limit) -> Thought | BoardwrightError:
        try:
            return self._thought(choose_move(agent, self._position, limit, self))
        except BoardwrightError as error:
            return error
        except Exception as error:
            return BoardwrightError(f"the player failed, {type(error).__name__}: {error}")

    def _thought(self, choice: Choice) -> Thought:
        line = whole_moves(self._position, choice.line or (choice.action,))
        return Thought(choice, line, time.perf_counter() - self._begin)
