"""The tables as the batched engine sees them say what the scalar engine's probe says, of every material."""

import dataclasses
import random
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import boardwright
from boardwright.errors import BoardwrightError
from boardwright.games.base import DRAW, ONGOING
from boardwright.games.draughts import batch
from boardwright.games.draughts.endgames.tablebase import Tablebase, build

GAME: Any = boardwright.game("draughts")
CROWN_ROWS = (0xF0000000, 0x0000000F)
Placed = tuple[int, int, int, int]  # black, white, kings, role to move


def states_of(positions: Iterable[Placed], continuing: int = 0) -> Any:
    black, white, kings, role = np.array(list(positions), np.uint32).T
    boards = jnp.stack([jnp.asarray(black), jnp.asarray(white), jnp.asarray(kings)], axis=1)
    zero = jnp.int32(0)
    make = partial(batch.set_up, GAME.tables)
    return jax.vmap(lambda board, role: make(board, role, jnp.uint32(continuing), zero, zero))(
        boards, jnp.asarray(role, jnp.int8)
    )


def results(states: Any, folder: Path | None = None) -> np.ndarray:
    proven = GAME.proven_results(folder)
    ask = jax.jit(lambda tables, states: jax.vmap(partial(proven.result, tables))(states))
    return np.asarray(ask(proven.tables, states))


def place(source: random.Random, material: tuple[int, int, int, int], role: int) -> Placed:
    """A random position of the mover's men and kings, and the enemy's."""
    sides, all_kings, taken = [0, 0], 0, 0
    for side, men, kings in ((role, *material[:2]), (1 - role, *material[2:])):
        for is_king in [False] * men + [True] * kings:
            bit = 0
            while not bit or bit & taken or (not is_king and bit & CROWN_ROWS[side]):
                bit = 1 << source.randrange(32)
            sides[side] |= bit
            taken |= bit
            all_kings |= bit if is_king else 0
    return sides[0], sides[1], all_kings, role


def test_batched_probe_agrees_with_scalar_for_every_material() -> None:
    source, tables = random.Random(0), Tablebase()
    slices = tables.packed().slices
    materials = [(part.men[0], part.kings[0], part.men[1], part.kings[1]) for part in slices]
    positions = [place(source, material, role) for material in materials for role in (0, 1) for _ in range(60)]
    states = states_of(positions)
    assert len(slices) == 41
    report = results(states)
    over = np.asarray(states.terminated)
    for placed, found, done in zip(positions, report, over, strict=True):
        role = placed[3]
        expected = {"win": role, "loss": 1 - role, "draw": DRAW}[tables.probe(*placed).result]
        assert found == (ONGOING if done else expected), placed
    assert {*report.tolist()} == {0, 1, DRAW, ONGOING}


def test_numbers_of_outcomes_are_the_published_ones() -> None:
    """Captures and positions without moves included; what belongs to no position is there as a loss."""
    packed = Tablebase().packed()
    outcomes = ((packed.words[:, None] >> (2 * np.arange(16, dtype=np.uint32))) & 3).reshape(-1)
    begin = min(part.first for part in packed.slices if sum(part.men) + sum(part.kings) == 4)
    assert np.bincount(outcomes[begin:], minlength=4)[1:].tolist() == [1_717_922, 2_574_304, 0]


def test_positions_outside_the_tables_are_unknown(tmp_path: Path) -> None:
    king, enemies = 1 << 0, 1 << 5 | 1 << 14
    assert results(states_of([(king, enemies, king, 0)])).tolist() != [ONGOING]
    assert results(states_of([(king, enemies, king, 0)], continuing=king)).tolist() == [ONGOING]
    assert results(states_of([(0x1F, 0, 0x1F, 0), (3, 0x1C000000, 0, 0), (3, 0, 3, 0)])).tolist() == [ONGOING] * 3
    build(2, tmp_path)
    two_kings = (1, 1 << 30, 1 | 1 << 30, 0)
    assert Tablebase().probe(*two_kings).result == "draw"
    assert results(states_of([(king, enemies, king, 0), two_kings]), tmp_path).tolist() == [ONGOING, DRAW]


def test_wins_count_if_the_draw_rules_leave_time() -> None:
    """Under the rules of a match 80 plies of inactivity make a draw."""
    king, enemies = 1 << 0, 1 << 5 | 1 << 14
    states = states_of([(king, enemies, king, 1), (1, 1 << 30, 1 | 1 << 30, 0)])
    for quiet, expected in ((0, [1, DRAW]), (40, [1, DRAW]), (41, [ONGOING, DRAW])):
        there = dataclasses.replace(states, quiet=jnp.full(2, quiet, jnp.int32))
        assert results(there).tolist() == expected


def test_game_without_tables_is_refused() -> None:
    with pytest.raises(BoardwrightError, match="tablut has no endgame tables"):
        boardwright.game("tablut").proven_results()
