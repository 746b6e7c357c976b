"""Positions from games of players against themselves, for methods that learn from boards (the VAE).

Each player plays an equal share of the games. Every position in which a player is to move is stored as that player
observes it. The same players, games and seed give the same positions.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from boardwright.arena.backends import local_backend, play
from boardwright.arena.event import Conditions, Event, PlayedGame, derived_seed
from boardwright.errors import RunError
from boardwright.games.base import CHANCE, DRAW, Game
from boardwright.games.registry import game as make_game
from boardwright.learn.run import config_file
from boardwright.learn.shared import boards
from boardwright.learn.shared.boards import Boards
from boardwright.learn.vae.config import BOARDS_FILE, VaeConfig

OnProgress = Callable[[str, int, int], None] | None  # activity, amount done, total


def boards_of_games(
    game: Game, players: Sequence[str], games: int, seed: int, *, workers: int = 1, on_progress: OnProgress = None
) -> Boards:
    """Positions of `games` games that players, specs such as `random`, play against themselves."""
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
        share = games // len(players) + (place < games % len(players))
        played = []
        for finished in play(event, itertools.islice(event.schedule(), share), local_backend(workers)):
            played.append(finished)
            if on_progress is not None:
                on_progress("games", done + len(played), games)
        if len(played) > 1 and len({finished.record.actions for finished in played}) == 1:
            raise RunError(
                f"player {spec}: all {len(played)} games are the same: give it a temperature, or choose a player "
                "that varies its moves"
            )
        for finished in sorted(played, key=lambda finished: finished.index):
            seen, at, won = _seen(finished, game)
            bits.append(boards.pack(seen, game))
            numbers.append(np.full(len(seen), done, np.int32))
            plies.append(at)
            results.append(won)
            done += 1
    return Boards(game.observation_shape, *map(np.concatenate, (bits, numbers, plies, results)))


def boards_for(config: VaeConfig, folder: Path, *, workers: int = 1, on_progress: OnProgress = None) -> Boards:
    """The positions of a run's config, stored in its folder and loaded from there the next time.

    Raises RunError if the folder belongs to another run.
    """
    config_file.check(folder, "vae", config)
    game = make_game(config.game, config.rules, config.observation)
    players, games, seed = config.boards.players, config.boards.games, config.seed
    made_from = {
        "game": game.name,
        "rules": asdict(game.rules),
        "observation": game.observation,
        "players": list(players),
        "games": games,
        "seed": seed,
    }
    path = folder / BOARDS_FILE
    if (stored := boards.load(path, made_from)) is not None:
        return stored
    try:
        folder.mkdir(parents=True, exist_ok=True)  # fail before the games are played
    except OSError as error:
        raise RunError(f"cannot write into {folder}: {error.strerror}") from error
    made = boards_of_games(game, players, games, seed, workers=workers, on_progress=on_progress)
    boards.save(path, made, made_from)
    return made


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
