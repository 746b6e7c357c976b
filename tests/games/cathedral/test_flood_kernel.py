"""Areas by the GPU's kernel, interpreted here: what a walk over the board counts, and the same games."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import boardwright
from boardwright.games.batched import random_action
from boardwright.games.cathedral import areas, flood_kernel

BOARDS = 24


def _walked(size: int, open_cells: np.ndarray, start: int) -> list[int]:
    """The cells of an area, from one of them."""
    area, waiting = {start}, [start]
    while waiting:
        row, column = divmod(waiting.pop(), size)
        for cell in (
            r * size + c for r in range(row - 1, row + 2) for c in range(column - 1, column + 2) if _in(size, r, c)
        ):
            if open_cells[cell] and cell not in area:
                area.add(cell)
                waiting.append(cell)
    return sorted(area)


def _in(size: int, row: int, column: int) -> bool:
    return 0 <= row < size and 0 <= column < size


@pytest.mark.parametrize("size", [6, 8, 10])
def test_kernel_agrees_with_a_walk(size: int) -> None:
    rng = np.random.default_rng(size)
    open_cells = rng.random((BOARDS, size * size)) < rng.uniform(0.3, 0.9, (BOARDS, 1))
    open_cells[0] = _winding(size)
    marked = open_cells & (rng.random(open_cells.shape) < 0.1)
    count = functools.partial(flood_kernel.area_counts, size, areas._rounds(size), interpret=True)
    counts = np.asarray(jax.vmap(count)(jnp.asarray(open_cells), jnp.asarray(marked)))
    for board, flags, found in zip(open_cells, marked, counts, strict=True):
        for cell in np.flatnonzero(board).tolist():
            area = _walked(size, board, cell)
            assert found[:, cell].tolist() == [flags[area].sum(), len(area)]


def _winding(size: int) -> np.ndarray:
    """[C] bool: one long corridor, which many rounds are needed for."""
    board = np.ones((size, size), bool)
    board[1::4, :-1] = board[3::4, 1:] = False
    return board.reshape(-1)


@pytest.mark.parametrize("rules", ["official-6", pytest.param("paper", marks=pytest.mark.slow)])
def test_games_with_the_kernel_are_the_same(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = boardwright.game("cathedral", rules).batch()

    def games() -> list[Any]:
        step = jax.jit(lambda states, actions, keys: jax.vmap(env.step)(states, actions, keys))  # traced again
        states: Any = jax.vmap(env.init)(jax.random.split(jax.random.key(3), 8))
        seen = []
        for number in range(16):
            keys = jax.random.split(jax.random.key(number), 8)
            states = step(states, jax.vmap(random_action)(keys, states.legal_action_mask), keys)
            seen.append(states)
        return jax.tree.leaves(seen)

    by_labels = games()
    used = []

    def chosen(*inputs: Any, cuda: Callable[..., Any], default: Callable[..., Any]) -> Any:
        used.append(default)
        return cuda(*inputs)

    monkeypatch.setattr(flood_kernel, "area_counts", functools.partial(flood_kernel.area_counts, interpret=True))
    monkeypatch.setattr(jax.lax, "platform_dependent", chosen)
    by_kernel = games()
    assert used
    for one, other in zip(by_labels, by_kernel, strict=True):
        np.testing.assert_array_equal(one, other)


def test_kernel_lowers_for_a_gpu(one_gpu: Any) -> None:
    """Without one: what Pallas cannot say in Triton's words is refused here already. What Triton itself refuses is not:
    a GPU refused to count bits by `math.ctpop`.
    """
    env = boardwright.game("cathedral").batch()
    keys = jax.random.split(jax.random.key(0), 4)
    states = jax.eval_shape(jax.vmap(env.init), keys)
    with jax.sharding.use_abstract_mesh(one_gpu((), ())):
        traced = jax.jit(jax.vmap(env.step)).trace(states, jnp.zeros(4, jnp.int32), keys)
        text = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert "triton" in text
    assert "ctpop" not in text
