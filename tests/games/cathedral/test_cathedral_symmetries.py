"""Symmetries, tried against drawings of the board that are turned and turned over as drawings.

A game and its image are played side by side. What is expected of the image comes from its drawing or from
the original's arrays by numpy's flips and turns, never from the tables of the symmetry itself.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest
from duel import compiled
from images import image_of, image_of_action

import boardwright
from boardwright.errors import PositionError, RulesError
from boardwright.games.base import Game, Position, Symmetry
from boardwright.games.cathedral import pieces
from boardwright.games.cathedral.rules import DARK, LIGHT, RULE_SETS, CathedralRules
from boardwright.games.geometry import dihedral_group

NAMES = [f"{mirror}rotate{degrees}" for mirror in ("", "mirror+") for degrees in (0, 90, 180, 270)]
MIRRORED = (
    RULE_SETS["official"],
    CathedralRules(name="small", size=7, rewards="shaped", first="coin"),
    CathedralRules(name="exchanged", size=6, rewards="shaped", mirrored_side="light", claim_cap=20),
)


def transformed(name: str, cells: np.ndarray) -> np.ndarray:
    """An array [N, N, ...] as the symmetry of this name lays it."""
    mirror, _, degrees = name.rpartition("rotate")
    return np.rot90(cells[:, ::-1] if mirror else cells, int(degrees) // 90)


def drawing(position: Position) -> np.ndarray:
    """[N, N] letters of the position's text, '.' for empty cells."""
    rows = position.text.split()[0].split("/")
    return np.array([list(re.sub(r"\d+", lambda digits: "." * int(digits[0]), row)) for row in rows])


def image_game(game: Game, symmetry: Symmetry) -> Game:
    return boardwright.game("cathedral", symmetry.rules or game.rules)


def side_by_side(game: Game, symmetry: Symmetry, seed: int) -> Iterator[tuple[Position, Position]]:
    """Every position of a random game with its image."""
    rng = np.random.default_rng(seed)
    position, image = game.start(), image_game(game, symmetry).start()
    yield position, image
    while position.outcome is None:
        action = int(rng.choice(position.legal_actions()))
        position, image = position.play(action), image.play(image_of_action(symmetry, position, action))
        yield position, image


def placements(position: Position) -> set[tuple[int, bytes]]:
    """(piece, cells as an array's bytes) of all that the side to move may place."""
    tables: Any = position.game.tables  # type: ignore[attr-defined]
    role = max(position.role_to_move, LIGHT)
    return {(int(tables.piece[a]), tables.cells[role, a].tobytes()) for a in position.legal_actions()}


def transformed_placements(position: Position, name: str) -> set[tuple[int, bytes]]:
    tables: Any = position.game.tables  # type: ignore[attr-defined]
    role, size = max(position.role_to_move, LIGHT), tables.size
    return {
        (int(tables.piece[a]), transformed(name, tables.cells[role, a].reshape(size, size)).tobytes())
        for a in position.legal_actions()
    }


def territory(position: Position, role: int) -> np.ndarray:
    size, core = position.game.rules.size, position.core
    cells = np.zeros(size * size, bool)
    cells[core.territory(role)] = True  # type: ignore[attr-defined]
    return cells.reshape(size, size)


def expected_planes(position: Position, image: Position, role: int, name: str) -> np.ndarray:
    """What a role must see of the image: pieces joined as in its drawing, all else laid as the symmetry does."""
    names, letters = position.game.planes, drawing(image)
    planes = np.ascontiguousarray(transformed(name, position.observation(role)))
    for plane, axis in (("same piece to the right", 1), ("same piece below", 0)):
        neighbours = np.roll(letters, -1, axis)
        neighbours[(slice(None), -1) if axis else -1] = "."
        planes[..., names.index(plane)] = (letters == neighbours) & (letters != ".")
    for plane, mirrored in (("own", role), ("enemy", 1 - role)):
        planes[..., names.index(f"{plane} set is mirrored")] = image.game.rules.mirrored[mirrored]
    return planes


@pytest.mark.parametrize("rules", MIRRORED, ids=lambda rules: rules.name)
@pytest.mark.parametrize("name", NAMES)
def test_games_and_their_images_agree(rules: CathedralRules, name: str) -> None:
    game = boardwright.game("cathedral", rules)
    symmetry = next(symmetry for symmetry in game.symmetries() if symmetry.name == name)
    captures = 0
    for seed in range(6):
        for position, image in side_by_side(game, symmetry, seed):
            assert np.array_equal(drawing(image), transformed(name, drawing(position)))
            assert image.text.split()[1:] == position.text.split()[1:]  # turn, placed, first, plies
            assert image.outcome == position.outcome
            assert image.core.rewards() == position.core.rewards()  # type: ignore[attr-defined]
            if not (position.game.has_chance and not position.actions()):  # the coin is no placement
                assert placements(image) == transformed_placements(position, name)
                mask = np.zeros(game.num_actions, bool)
                mask[symmetry.actions] = position.legal_mask()
                assert np.array_equal(image.legal_mask(), mask)
            for role in (LIGHT, DARK):
                assert np.array_equal(territory(image, role), transformed(name, territory(position, role)))
                seen = image.observation(role)
                assert np.array_equal(seen, expected_planes(position, image, role, name))
                assert np.array_equal(seen, image_of(symmetry, position.observation(role)))
            captures += any(reward < -1 for reward in position.core.rewards())  # type: ignore[attr-defined]
    assert captures > 0 or rules.rewards == "sparse"


@pytest.mark.parametrize("name", NAMES)
def test_batched_observations_have_the_same_images(name: str) -> None:
    game = boardwright.game("cathedral", "official-6")
    symmetry = next(symmetry for symmetry in game.symmetries() if symmetry.name == name)
    sides = []
    for number, line in enumerate(zip(*side_by_side(game, symmetry, seed=9), strict=True)):
        env, _, masks, observe = compiled(game if number == 0 else image_game(game, symmetry))
        states = jax.tree.map(lambda *leaves: np.stack(leaves), *map(env.from_position, line))
        planes = [np.asarray(observe(states, np.full(len(line), role, np.int8))) for role in (LIGHT, DARK)]
        sides.append((np.asarray(masks(states)), planes))
    (masks, planes), (image_masks, image_planes) = sides
    assert np.array_equal(image_masks[:, symmetry.actions], masks)
    for role in (LIGHT, DARK):
        for seen, image_seen in zip(planes[role], image_planes[role], strict=True):
            assert np.array_equal(image_seen, image_of(symmetry, seen))


def test_symmetries_by_rule_set() -> None:
    for rules in RULE_SETS.values():
        found = boardwright.game("cathedral", rules).symmetries()
        assert [symmetry.name for symmetry in found] == (NAMES if rules.mirrored_sets else NAMES[:4])
        assert all(symmetry.rules is None for symmetry in found[:4])
    unseen = boardwright.game("cathedral", "official", "paper")  # five planes do not show whose set is mirrored
    assert [symmetry.name for symmetry in unseen.symmetries()] == NAMES[:4]


def test_reflections_exchange_the_sets_and_are_involutions() -> None:
    game = boardwright.game("cathedral", "official-6")
    for symmetry in game.symmetries()[4:]:
        assert symmetry.rules == replace(RULE_SETS["official-6"], mirrored_side="light")
        back = image_game(game, symmetry).symmetries()[4:]
        assert {again.rules for again in back} == {game.rules}
        identity = [again for again in back if (again.actions[symmetry.actions] == np.arange(game.num_actions)).all()]
        assert len(identity) == 1
        assert np.array_equal(identity[0].entries[symmetry.entries], np.arange(len(symmetry.entries)))


@pytest.mark.parametrize("size", range(6, 11))
def test_one_table_of_actions_serves_both_sets(size: int) -> None:
    for number, (symmetry, (name, cells)) in enumerate(
        zip(boardwright.game("cathedral", {"size": size}).symmetries(), dihedral_group(size), strict=True)
    ):
        assert symmetry.name == name
        for mirrored in (False, True):
            listed = pieces.placements(size, mirrored)
            images = pieces.placements(size, mirrored != (number >= 4))
            for action, placement in enumerate(listed):
                image = images[symmetry.actions[action]]
                assert image.piece == placement.piece
                assert image.cells == {int(cells[cell]) for cell in placement.cells}


@pytest.mark.parametrize("name", NAMES[4:])
def test_with_equal_sets_a_reflection_would_be_wrong(name: str) -> None:
    """A position with an abbey or an academy has no mirror image: no piece has that shape."""
    for shape in ("abbey", "academy"):
        before = boardwright.game("cathedral", "paper").start().play("cathedral b4")
        position = before.play(f"{shape} f4")
        letters = transformed(name, drawing(position))
        rows = [re.sub(r"\.+", lambda dots: str(len(dots[0])), "".join(row)) for row in letters]
        text = " ".join(["/".join(rows), *position.text.split()[1:]])
        with pytest.raises(PositionError, match=f"do not have the shape of the {shape}"):
            position.game.position(text)
        assert placements(before) != transformed_placements(before, name)
        mirrored = boardwright.game("cathedral", {"base": "paper", "mirrored_sets": True})
        assert mirrored.position(text).text == text


def test_a_mirrored_side_needs_mirrored_sets() -> None:
    with pytest.raises(RulesError, match="mirrored_side"):
        CathedralRules(name="odd", mirrored_sets=False, mirrored_side="light")
