"""Datasets of positions: observations of zeros and ones, packed eight to a byte.

    boards = load(path)
    train, validation = split_by_game(boards, share=0.1, seed=0)

Positions of one game resemble each other, so whole games are held back for validation.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.errors import RunError
from boardwright.games.base import Game
from boardwright.learn.run import arrayfile

ARRAYS = {"bits": np.uint8, "games": np.int32, "plies": np.int32, "results": np.int32}  # types in files


@dataclass(frozen=True, eq=False)
class Boards:
    """N positions, in the order they were played."""

    shape: tuple[int, int, int]  # of an observation: rows, columns, planes
    bits: np.ndarray  # [N, ceil(rows * columns * planes / 8)] uint8: observations, see `pack`
    games: np.ndarray  # [N] int32: number of the game it is from
    plies: np.ndarray  # [N] int32: played before it
    results: np.ndarray  # [N] int32: 1 where the role to move won in the end, -1 where it lost, 0 for a draw

    def __len__(self) -> int:
        return len(self.bits)


def pack(observations: np.ndarray, game: Game) -> np.ndarray:
    """[N, bytes] uint8 of observations [N, rows, columns, planes]; raises RunError if an entry is neither 0 nor 1."""
    whole = observations.astype(bool)
    if not np.array_equal(whole, observations):
        place = int(np.argwhere(whole != observations)[0][-1])
        raise RunError(
            f"observation {game.observation} of {game.name}: its plane {game.planes[place]!r} has values other "
            "than 0 and 1: choose another observation"
        )
    return np.packbits(whole.reshape(len(whole), -1), axis=1, bitorder="little")


def unpack(bits: Array | np.ndarray, shape: tuple[int, int, int]) -> Array:
    """[N, rows, columns, planes] float32 of bits [N, bytes], on the device."""
    spread = jnp.unpackbits(jnp.asarray(bits), axis=1, count=math.prod(shape), bitorder="little")
    return spread.reshape(-1, *shape).astype(jnp.float32)


def split_by_game(boards: Boards, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(train, validation): indices of positions, ascending; a share of the games, at least one, is for validation.

    Games identical to a validation game are in neither.
    """
    order = np.argsort(boards.games, kind="stable")
    games, first = np.unique(boards.games[order], return_index=True)
    if len(games) < 2:
        raise RunError("one game cannot be split into training and validation: play at least two")
    held = min(max(1, round(share * len(games))), len(games) - 1)
    chosen = np.random.default_rng([seed, 3]).choice(games, held, replace=False)
    of_games = np.split(boards.bits[order], first[1:])
    content = {game: bits.tobytes() for game, bits in zip(games.tolist(), of_games, strict=True)}
    held_back = {content[game] for game in chosen.tolist()}
    learned = [game for game in games.tolist() if content[game] not in held_back]
    if not learned:
        raise RunError("all games are identical to the validation games: choose players that randomise")
    return np.flatnonzero(np.isin(boards.games, learned)), np.flatnonzero(np.isin(boards.games, chosen))


def save(path: Path, boards: Boards, made_from: Mapping[str, Any]) -> None:
    """Saves positions with what they were made from, as plain data."""
    header = {"shape": list(boards.shape), "made_from": dict(made_from), "boards": len(boards)}
    arrayfile.write(path, {name: getattr(boards, name) for name in ARRAYS}, header)


def load(path: Path, made_from: Mapping[str, Any] | None = None) -> Boards | None:
    """Loads what `save` wrote; None if the file is missing, damaged, or made from something other than `made_from`."""
    if not path.exists():
        return None
    try:
        file = arrayfile.read(path)
        if made_from is not None and file.header.get("made_from") != dict(made_from):
            return None
        rows, columns, planes = file.header["shape"]
        count, width = file.header["boards"], -(-rows * columns * planes // 8)
        arrays = {
            name: file.load(name, (count, width) if name == "bits" else (count,), kind) for name, kind in ARRAYS.items()
        }
    except arrayfile.DamagedError:
        return None
    return Boards((rows, columns, planes), **arrays)
