"""Images of observations, actions and masks under the symmetries of a game, to augment what is learned from."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import Game


@dataclasses.dataclass(frozen=True, eq=False)
class SymmetryImages:
    """G symmetries as lookup tables for the device."""

    actions: np.ndarray  # [G, A] int32: the image of each action
    entry_sources: np.ndarray  # [G, rows * columns * planes] int32: the entry of an observation that moves here
    cell_sources: np.ndarray  # [G, rows * columns] int32: the cell that moves here

    @classmethod
    def of(cls, game: Game, augment: str) -> SymmetryImages:
        """Those of a game: "none" is the identity alone, "rotations" leaves out reflections, "all" has every one."""
        symmetries = game.symmetries()
        if augment == "none":
            symmetries = symmetries[:1]
        elif augment == "rotations":
            symmetries = tuple(symmetry for symmetry in symmetries if not symmetry.name.startswith("mirror"))
        planes = game.observation_shape[2]
        cells = [symmetry.entries.reshape(-1, planes)[:, 0] // planes for symmetry in symmetries]
        return cls(
            actions=np.stack([symmetry.actions for symmetry in symmetries]).astype(np.int32),
            entry_sources=np.stack([np.argsort(symmetry.entries) for symmetry in symmetries]).astype(np.int32),
            cell_sources=np.stack([np.argsort(cell) for cell in cells]).astype(np.int32),
        )

    @property
    def count(self) -> int:
        """Number of symmetries (G)."""
        return len(self.actions)

    @property
    def action_sources(self) -> np.ndarray:
        """[G, A] int32: the action that becomes this one."""
        return np.argsort(self.actions, axis=1).astype(np.int32)

    def apply(self, symmetry: Array, observation: Array, actions: Array) -> tuple[Array, Array]:
        """Images of observations [N, ...] and actions [N, K] (unchanged if negative) under symmetries [N]."""
        if self.count == 1:
            return observation, actions
        image = self._move(symmetry, observation.reshape(observation.shape[0], -1), self.entry_sources)
        moved = jnp.asarray(self.actions)[symmetry[:, None], jnp.maximum(actions, 0)]
        return image.reshape(observation.shape), jnp.where(actions < 0, actions, moved)

    def apply_to_mask(self, symmetry: Array, mask: Array) -> Array:
        """Images of masks of actions [N, A] under symmetries [N]."""
        return self._move(symmetry, mask, self.action_sources)

    def apply_to_cells(self, symmetry: Array, cells: Array) -> Array:
        """Images of numbers by cell [N, cells] under symmetries [N]."""
        return self._move(symmetry, cells, self.cell_sources)

    def _move(self, symmetry: Array, entries: Array, sources: np.ndarray) -> Array:
        """Entries [N, n] moved as symmetries [N] say, from their sources [G, n]."""
        return entries if self.count == 1 else jnp.take_along_axis(entries, jnp.asarray(sources)[symmetry], axis=1)
