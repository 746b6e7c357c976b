"""Perft by the batched engine; not a test itself."""

import operator
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from boardwright.games.base import BatchEnv

PERFT_CHUNK = 4096  # states expanded at once


def perft(env: BatchEnv, state: Any, depth: int) -> int:
    """Number of lines of exactly `depth` whole moves from one state, counted breadth first.

    Layers stay on the host and go through the engine in chunks of one size, so that it compiles once. A state with a
    field `continuing` is in the middle of a move where that is not 0.
    """
    if depth == 0:
        return 1
    key = jax.random.key(0)  # moves of chance are enumerated, never sampled
    step = jax.jit(lambda states, actions: jax.vmap(env.step, (0, 0, None))(states, actions, key))
    masks = jax.jit(lambda states: states.legal_action_mask)
    may_continue = hasattr(state, "continuing")

    def chunks(count: int) -> Iterator[tuple[np.ndarray, int]]:
        """Row numbers below `count`, PERFT_CHUNK at a time, and how many of them are not padding."""
        for begin in range(0, count, PERFT_CHUNK):
            rows = np.arange(begin, begin + PERFT_CHUNK)
            yield np.minimum(rows, count - 1), min(PERFT_CHUNK, count - begin)

    def legal(layer: Any) -> np.ndarray:
        parts = [np.asarray(masks(_rows(layer, rows)))[:size] for rows, size in chunks(len(layer.terminated))]
        return np.concatenate(parts)

    def after_a_move(layer: Any) -> Iterator[Any]:
        """The states one whole move after those of a layer, a chunk at a time."""
        parents, actions = np.nonzero(legal(layer))
        for rows, size in chunks(len(parents)):
            children = jax.tree.map(np.asarray, step(_rows(layer, parents[rows]), actions[rows]))
            finished = np.arange(PERFT_CHUNK) < size
            if may_continue:
                unfinished = finished & (children.continuing != 0)
                finished &= ~unfinished
                if unfinished.any():
                    yield from after_a_move(_rows(children, np.flatnonzero(unfinished)))
            yield _rows(children, np.flatnonzero(finished))

    layer = jax.tree.map(lambda leaf: np.asarray(leaf)[None], state)
    for _ in range(depth - 1):
        pieces = list(after_a_move(layer))
        if not pieces:
            return 0
        layer = jax.tree.map(lambda *leaves: np.concatenate(leaves), *pieces)
    if not may_continue:
        return int(legal(layer).sum())
    return sum(len(piece.terminated) for piece in after_a_move(layer))


def _rows(states: Any, rows: np.ndarray) -> Any:
    return jax.tree.map(operator.itemgetter(rows), states)
