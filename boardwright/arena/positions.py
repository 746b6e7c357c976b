"""Positions from games of named players, for learners that look at boards rather than play.

Each player meets itself, in an equal share of the games, and every position in which somebody is to move is kept
as the mover observes it. The same players, games and seed give the same positions.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from boardwright.arena.backends import local_backend, play
from boardwright.arena.conditions import Conditions
from boardwright.arena.event import Event
from boardwright.arena.played import PlayedGame
from boardwright.arena.schedule import derived_seed
from boardwright.errors import RunError
from boardwright.games.base import CHANCE, DRAW, Game
from boardwright.games.registry import game as make_game
from boardwright.learn.run import config_file
from boardwright.learn.shared import boards
from boardwright.learn.shared.boards import Boards
from boardwright.learn.vae.config import BOARDS_FILE, VaeConfig

Told = Callable[[str, int, int], None]  # what goes on, how much of it is done, of how much


def boards_of_games(
    game: Game, players: Sequence[str], games: int, seed: int, *, workers: int = 1, told: Told = lambda *_: None
) -> Boards:
    """Plays so many games of the players, specs such as `random`, and gives their positions."""
    bits, numbers, plies, results, done = [], [], [], [], 0
    for place, spec in enumerate(players):
        event = Event(
            game=game.name,
            rules=game.rules,
            players=(spec, spec),
            openings="start",
            seed=derived_seed(seed, "positions", place),
            conditions=Conditions(),
        )
        event.check()
        wanted = games // len(players) + (place < games % len(players))
        finished_games = play(event, itertools.islice(event.schedule(), wanted), local_backend(workers))
        played = sorted(_counted(finished_games, done, games, told), key=lambda finished: finished.index)
        _check_different(spec, played)
        for finished in played:
            seen, at, won = _seen(finished, game)
            bits.append(boards.pack(seen, game))
            numbers.append(np.full(len(seen), done, np.int32))
            plies.append(at)
            results.append(won)
            done += 1
    return Boards(game.observation_shape, *map(np.concatenate, (bits, numbers, plies, results)))


def boards_for(config: VaeConfig, folder: Path, *, workers: int = 1, told: Told = lambda *_: None) -> Boards:
    """The positions a run's config names, kept in its folder; raises RunError where that is another run's, whose
    positions stay as they are.
    """
    config_file.check(folder, "vae", config)
    game = make_game(config.game, config.rules, config.observation)
    wanted = config.boards
    return kept_boards(folder, game, wanted.players, wanted.games, config.seed, workers=workers, told=told)


def kept_boards(
    folder: Path,
    game: Game,
    players: Sequence[str],
    games: int,
    seed: int,
    *,
    workers: int = 1,
    told: Told = lambda *_: None,
) -> Boards:
    """The same from a file in a folder, which is made where it is missing or of other games."""
    made_from: dict[str, Any] = {
        "game": game.name,
        "rules": asdict(game.rules),
        "observation": game.observation,
        "players": list(players),
        "games": games,
        "seed": seed,
    }
    path = folder / BOARDS_FILE
    there = boards.load(path, made_from)
    if there is not None:
        return there
    try:
        folder.mkdir(parents=True, exist_ok=True)  # rather now than after all games
    except OSError as error:
        raise RunError(f"cannot write into {folder}: {error.strerror}") from error
    made = boards_of_games(game, players, games, seed, workers=workers, told=told)
    boards.save(path, made, made_from)
    return made


def _counted(played: Iterable[PlayedGame], done: int, games: int, told: Told) -> Iterator[PlayedGame]:
    for number, finished in enumerate(played, start=done + 1):
        told("games", number, games)
        yield finished


def _check_different(spec: str, played: Sequence[PlayedGame]) -> None:
    """Raises RunError for a player all of whose games are one and the same."""
    if len(played) > 1 and len({finished.record.actions for finished in played}) == 1:
        raise RunError(
            f"player {spec}: all of {len(played)} games are the same: give it a temperature, or name one that leaves "
            "something to chance"
        )


def _seen(finished: PlayedGame, game: Game) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a game: observations [n, rows, columns, planes], plies [n] and results for the mover [n]."""
    if finished.forfeited_by is not None:
        spec = finished.players[finished.forfeited_by]
        raise RunError(f"player {spec}: {finished.record.reason}: games to learn from must be played out")
    positions = [position.under(game) for position in finished.record.positions()]
    live = [position for position in positions if position.outcome is None and position.role_to_move != CHANCE]
    result = finished.record.result
    won = [0 if result == DRAW else 1 if result == position.role_to_move else -1 for position in live]
    return (
        np.stack([position.observation() for position in live]),
        np.array([position.plies for position in live], np.int32),
        np.array(won, np.int32),
    )
