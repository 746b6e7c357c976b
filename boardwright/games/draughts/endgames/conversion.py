"""Random won endings of draughts, and how many of them players win against a perfect defender.

An ending is a random position with a given number of pieces, sides differing by at most one, each piece a man or a
king with equal probability. The side to move has no capture and wins, in at least 15 plies and at most as many as the
rules allow without progress, so that the win counts. Tables prove it if they have enough pieces; else alpha-beta
does, which finds only forced wins into the tables within a limit of nodes. The defender plays perfectly within the
tables, and by a short search outside them.

An ending is *spoiled* when tables prove that it is no longer won. It is *unconverted* when the game is drawn by the
rules or the ply limit without such a proof; files and `--json` call that `nowhere`.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from boardwright._core import DraughtsPosition
from boardwright.agents.base import Limit, choose_move, move_actions
from boardwright.agents.players import make_agent, player_of
from boardwright.agents.specs import with_seed
from boardwright.errors import BoardwrightError
from boardwright.games.base import Game, Position, SearchResources
from boardwright.games.draughts import board as b
from boardwright.games.draughts.endgames.tablebase import SHIPPED, Probe, Tablebase
from boardwright.games.draughts.notation import Placement, fen
from boardwright.games.lines import each_move
from boardwright.games.registry import game as make_game
from boardwright.stats.score import Interval, Score

MIN_WIN_PLIES = 15  # of a win
MAX_WIN_PLIES = 80  # where the rules set no limit
PROOF_NODES = 3_000  # of alpha-beta, to prove a position
DEFENCE_NODES = 1_000  # of alpha-beta, to find a move
MEGABYTES = 16  # of its transposition table
MAX_TRIES = 20_000  # random positions per won one
_BELOW_DECIDED = 1000  # offset of the scores that alpha-beta has from tables, less one per ply to the end
MAX_GAME_PLIES = 300  # of a game, from the ending on

Verdict = Literal["won", "spoiled", "nowhere"]


@dataclass(frozen=True)
class WonEnding:
    """A position that the side to move wins."""

    text: str
    pieces: int
    plies: int  # to the end of the game; an upper bound if alpha-beta proved it


class EndingProver:
    """Proves and defends endings by tables, and beyond them by alpha-beta. For one thread."""

    def __init__(self, game: Game, folder: Path | None = None):
        self._tables = Tablebase(folder)
        self.pieces = self._tables.pieces  # the most in the tables
        self._search = game.alphabeta(MEGABYTES, 1, SearchResources(SHIPPED if folder is None else folder))

    def probe(self, position: Position) -> Probe | None:
        """The value of an ongoing position for the side to move, by the tables; None if they do not cover it."""
        return self._tables.probe_position(position) if count_pieces(position) <= self.pieces else None

    def plies_to_win(self, position: Position) -> int | None:
        """Plies to the end if the side to move is proven to win, else None."""
        probe = self.probe(position)
        if probe is not None:
            return probe.plies if probe.result == "win" else None
        score = self._search.search(position.core, 0, PROOF_NODES, 0.0).score
        if score <= self._search.PROVEN:
            return None
        seen_to_the_end = score > self._search.DECIDED
        return (self._search.WIN if seen_to_the_end else self._search.DECIDED - _BELOW_DECIDED) - score

    def defend(self, position: Position) -> Position:
        """The position after the best defence: a move that does not lose, else the longest loss."""
        if count_pieces(position) <= self.pieces:
            return position.play(self._tables.ranked_moves(position)[0][0])
        line = self._search.search(position.core, 0, DEFENCE_NODES, 0.0).principal_variation
        _, actions = next(each_move(position, line))
        return position.play_all(actions)


def count_pieces(position: Position) -> int:
    """The pieces of both sides."""
    core = position.core_as(DraughtsPosition)
    return (core.black | core.white).bit_count()


def won_endings(game: Game, prover: EndingProver, pieces: int, seed: int) -> Iterator[WonEnding]:
    """Yields different endings of `pieces` pieces without end; raises BoardwrightError if it finds no more."""
    chance, found = random.Random(f"{seed} {pieces}"), set[str]()
    longest = min(game.rules.max_quiet_plies or MAX_WIN_PLIES, MAX_WIN_PLIES)
    while True:
        for _ in range(MAX_TRIES):
            text = random_ending(chance, pieces)
            position = game.position(text)
            must_capture = any("x" in move for move in position.moves())
            if text in found or position.outcome is not None or must_capture:
                continue
            plies = prover.plies_to_win(position)
            if plies is not None and MIN_WIN_PLIES <= plies <= longest:
                found.add(text)
                yield WonEnding(text, pieces, plies)
                break
        else:
            raise BoardwrightError(
                f"no won position with {pieces} pieces found in {MAX_TRIES:,} tries: use another number of pieces"
            )


def random_ending(chance: random.Random, pieces: int) -> str:
    """The text of a random position, won or not."""
    sides, kings = [0, 0], 0
    ahead = chance.randrange(2)
    for number, square in enumerate(chance.sample(range(b.SQUARES), pieces)):
        side, bit = (ahead + number) % 2, 1 << square
        sides[side] |= bit
        if bit & b.CROWN_ROWS[side] or chance.random() < 0.5:
            kings |= bit
    return fen(Placement(sides[0], sides[1], kings, chance.randrange(2)))


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
    nowhere: int  # unconverted: drawn without such a proof
    plies: float  # mean of the won games; NaN without any
    best: float  # mean plies of these games with best play, at most

    @property
    def endings(self) -> int:
        """Number of endings played."""
        return self.won + self.spoiled + self.nowhere

    @property
    def share(self) -> Interval:
        """Share of the endings that were won."""
        return Score(self.won, 0, self.spoiled + self.nowhere).interval


def attempt(task: Task) -> Attempt:
    """Plays an ending to its end, or until it is spoiled."""
    game = make_game("draughts", task.rules)
    prover, position = EndingProver(game, task.tables), game.position(task.ending.text)
    role, begin = position.role_to_move, position.plies
    agent = make_agent(with_seed(player_of(task.player, game), task.player, task.seed), game)
    try:
        agent.prepare()
        while position.outcome is None and position.plies - begin < MAX_GAME_PLIES:
            if position.role_to_move == role:
                probe = prover.probe(position)
                if probe is not None and probe.result != "win":
                    return Attempt(task.player, task.ending, "spoiled", position.plies - begin)
                position = position.play_all(move_actions(position, choose_move(agent, position, Limit())))
            else:
                position = prover.defend(position)
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
    verdicts = Counter(one.verdict for one in done)
    won = [one for one in done if one.verdict == "won"]
    return Conversion(
        player=done[0].player,
        pieces=done[0].ending.pieces,
        won=len(won),
        spoiled=verdicts["spoiled"],
        nowhere=verdicts["nowhere"],
        plies=fmean(one.plies for one in won) if won else math.nan,
        best=fmean(one.ending.plies for one in won) if won else math.nan,
    )
