"""Measures how many proven won endings of draughts a player wins.

The defender plays perfectly within the tables, and by a short search outside them.

A player *spoils* an ending when tables prove that it is no longer won. It gets *nowhere* when the game is drawn by the
rules or the ply limit without such a proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

from boardwright.agents.base import Limit, choose_move, move_actions
from boardwright.agents.players import make_agent, player_of
from boardwright.agents.specs import with_seed
from boardwright.games.base import Game
from boardwright.games.draughts.endgames.endings import Judge, WonEnding
from boardwright.games.registry import game as make_game
from boardwright.stats.score import Interval, Score

MOST_PLIES = 300  # of a game, from the ending on

Verdict = Literal["won", "spoiled", "nowhere"]


@dataclass(frozen=True)
class Task:
    """An ending for a player to win."""

    player: str  # spec
    ending: WonEnding
    seed: int  # of the player
    rules: Any
    tables: Path | None  # the defender's


@dataclass(frozen=True)
class Attempt:
    """The result of a player in one ending."""

    player: str
    ending: WonEnding
    verdict: Verdict
    plies: int  # played


@dataclass(frozen=True)
class Conversion:
    """The results of a player in all endings with one number of pieces."""

    player: str
    pieces: int
    won: int
    spoiled: int
    nowhere: int
    plies: float  # mean of the won games; NaN without any
    best: float  # mean plies of these games with best play, at most

    @property
    def endings(self) -> int:
        """All."""
        return self.won + self.spoiled + self.nowhere

    @property
    def share(self) -> Interval:
        """Share of the endings that were won."""
        return Score(self.won, 0, self.spoiled + self.nowhere).interval


def attempt(task: Task, game: Game | None = None) -> Attempt:
    """Plays an ending to its end, or until it is spoiled."""
    game = make_game("draughts", task.rules) if game is None else game
    judge, position = Judge(game, task.tables), game.position(task.ending.text)
    role, begin = position.role_to_move, position.plies
    agent = make_agent(with_seed(player_of(task.player, game), task.player, task.seed), game)
    try:
        agent.prepare()
        while position.outcome is None and position.plies - begin < MOST_PLIES:
            if position.role_to_move == role:
                if judge.result(position) in ("draw", "loss"):
                    return Attempt(task.player, task.ending, "spoiled", position.plies - begin)
                position = position.play_all(move_actions(position, choose_move(agent, position, Limit())))
            else:
                position = judge.defend(position)
    finally:
        agent.close()
    winner = None if position.outcome is None else position.outcome.winner
    verdict: Verdict = "won" if winner == role else "nowhere" if winner is None else "spoiled"
    return Attempt(task.player, task.ending, verdict, position.plies - begin)


def attempts(tasks: Iterable[Task], workers: int = 1) -> Iterator[Attempt]:
    """Every attempt in the order of the tasks, played in `workers` processes."""
    if workers == 1:
        yield from map(attempt, tasks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(attempt, tasks)


def conversion(done: Sequence[Attempt]) -> Conversion:
    """The total of a player's attempts at endings with the same number of pieces."""
    verdicts = [one.verdict for one in done]
    won = [one for one in done if one.verdict == "won"]
    return Conversion(
        player=done[0].player,
        pieces=done[0].ending.pieces,
        won=len(won),
        spoiled=verdicts.count("spoiled"),
        nowhere=verdicts.count("nowhere"),
        plies=_mean([one.plies for one in won]),
        best=_mean([one.ending.plies for one in won]),
    )


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers) if numbers else math.nan
