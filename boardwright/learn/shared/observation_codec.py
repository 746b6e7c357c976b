"""Lossless packing of observations and masks for a replay buffer: one bit for every flag.

Packed positions (`Game.learning`) would be smaller, but their legal actions must be generated each time they are read,
and Q-learning reads a transition hundreds of times. Planes hold flags, 0 or 1, except those whose name is a fraction
(`plies played / maximum`), which hold one number on the whole board.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import Game
from boardwright.games.batched import WORD, pack_numbers, unpack_numbers, words_needed

FRACTION = " / "  # in the name of a plane


@dataclass(frozen=True, eq=False)
class ObservationCodec:
    """Packs the observations of one game into 32-bit words: flags as bits, then fractions."""

    shape: tuple[int, int, int]  # rows, columns, planes
    is_fraction: np.ndarray  # [planes] bool

    @classmethod
    def of(cls, game: Game) -> ObservationCodec:
        """The codec of a game's current way to observe."""
        return cls(game.observation_shape, np.array([FRACTION in name for name in game.planes]))

    @property
    def words(self) -> int:
        """Number of 32-bit words of an observation."""
        rows, columns, _ = self.shape
        flags = rows * columns * int((~self.is_fraction).sum())
        return words_needed(flags, 1) + int(self.is_fraction.sum())

    def pack(self, observation: Array) -> Array:
        """[words] uint32 of one observation [rows, columns, planes]."""
        flags = observation[..., np.flatnonzero(~self.is_fraction)].reshape(-1)
        fractions = observation[0, 0, np.flatnonzero(self.is_fraction)]
        return jnp.concatenate([pack_numbers(flags, 1), fractions.astype(jnp.float32).view(WORD)])

    def unpack(self, words: Array) -> Array:
        """[N, rows, columns, planes] float32 of [N, words]."""
        rows, columns, planes = self.shape
        fractions = int(self.is_fraction.sum())
        flags = unpack_flags(words[:, : self.words - fractions], rows * columns * (planes - fractions))
        board = flags.reshape(-1, rows, columns, planes - fractions).astype(jnp.float32)
        if not fractions:
            return board
        shares = words[:, self.words - fractions :].view(jnp.float32)
        constant = jnp.broadcast_to(shares[:, None, None, :], (*board.shape[:3], fractions))
        order = np.argsort(np.argsort(self.is_fraction, kind="stable"))  # place of each plane in [flags, fractions]
        return jnp.concatenate([board, constant], axis=-1)[..., order]


def pack_flags(flags: Array) -> Array:
    """[W] uint32 of flags [n]."""
    return pack_numbers(flags, 1)


def unpack_flags(words: Array, count: int) -> Array:
    """[N, count] bool of [N, W]."""
    return jax.vmap(lambda row: unpack_numbers(row, count, 1))(words) == 1
