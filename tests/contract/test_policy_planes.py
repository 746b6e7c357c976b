"""Places of actions on the board, for a convolutional policy: every action's own, and moving with symmetries."""

import numpy as np
import pytest
from images import image_of

import boardwright
from boardwright.games.base import Game, PolicyPlanes, Symmetry

UNMOVED_BY_HALF_TURNS = {"stable", "square", "abbey"}  # pieces of Cathedral whose reference is not their centre


def planes_of(game: Game) -> PolicyPlanes:
    planes = game.policy_planes()
    if planes is None:
        pytest.skip(f"{game.name} has no policy planes")
    return planes


def moved(symmetry: Symmetry, game: Game) -> np.ndarray:
    """[rows * columns]: where each cell goes; the first plane moves as its cells do."""
    planes = game.observation_shape[2]
    return symmetry.entries.reshape(-1, planes)[:, 0] // planes


def test_every_action_has_its_own_policy_place(game: Game) -> None:
    planes = planes_of(game)
    rows, columns, _ = game.observation_shape
    assert planes.index.shape == (game.num_actions,)
    assert planes.index.dtype == np.int32
    assert len(np.unique(planes.index)) == game.num_actions
    assert planes.index.min() >= 0
    assert planes.index.max() < rows * columns * planes.planes
    assert set(planes.index % planes.planes) == set(range(planes.planes))


def test_views_of_actions_are_permutations(game: Game) -> None:
    for role in (0, 1):
        assert sorted(game.action_view(role)) == list(range(game.num_actions))


def test_symmetries_move_planes_to_planes_and_cells_as_the_board(game: Game) -> None:
    """The image of an action lies on a plane that its plane alone decides, at the image of its cell, or a
    step off that its plane alone decides.
    """
    policy = planes_of(game)
    columns = game.observation_shape[1]
    cell, plane = np.divmod(policy.index, policy.planes)
    for symmetry in game.symmetries():
        image_cell, image_plane = np.divmod(policy.index[symmetry.actions], policy.planes)
        straight = moved(symmetry, game)[cell]
        step = np.stack(np.divmod(image_cell, columns)) - np.stack(np.divmod(straight, columns))
        for number in range(policy.planes):
            here = plane == number
            assert len(set(image_plane[here])) == 1
            assert (step[:, here].T[0] == step[:, here].T).all()
            assert np.abs(step[:, here]).max() <= 1


@pytest.mark.parametrize("rules", ["official", "paper-6"])
def test_only_pieces_without_a_centre_move_their_reference(rules: str) -> None:
    from boardwright.games.cathedral import pieces

    game = boardwright.game("cathedral", rules)
    policy = planes_of(game)
    for symmetry in game.symmetries():
        cells = moved(symmetry, game)
        off = policy.index[symmetry.actions] // policy.planes != cells[policy.index // policy.planes]
        aside = {pieces.NAMES[game.tables.piece[action]] for action in np.flatnonzero(off)}  # type: ignore[attr-defined]
        assert aside <= UNMOVED_BY_HALF_TURNS


def test_references_of_both_sets_of_cathedral_agree() -> None:
    """So that one map serves both roles."""
    from boardwright.games.cathedral import pieces

    for size in (6, 8, 10):
        plain, mirrored = pieces.placements(size, False), pieces.placements(size, True)
        assert [(p.piece, p.reference, p.rotation) for p in plain] == [
            (p.piece, p.reference, p.rotation) for p in mirrored
        ]


def test_cellwise_policy_commutes_with_tablut_symmetries() -> None:
    """Planes seen through a kernel of 1 x 1 answer for the image as they did for the original."""
    game = boardwright.game("tablut")
    policy = planes_of(game)
    rng = np.random.default_rng(0)
    planes = rng.random(game.observation_shape, np.float32)
    kernel = rng.normal(size=(game.observation_shape[2], policy.planes))
    logits = (planes @ kernel).reshape(-1)[policy.index]
    for symmetry in game.symmetries():
        turned = np.empty(policy.planes, int)  # what each plane becomes
        turned[policy.index % policy.planes] = policy.index[symmetry.actions] % policy.planes
        turned_kernel = np.empty_like(kernel)
        turned_kernel[:, turned] = kernel
        image = (image_of(symmetry, planes) @ turned_kernel).reshape(-1)[policy.index]
        np.testing.assert_allclose(image[symmetry.actions], logits, rtol=1e-9)


def test_draughts_moves_start_where_the_mover_sees_a_piece() -> None:
    """For either role, the cell of a legal action shows one of the mover's own pieces."""
    game = boardwright.game("draughts", observation="paper")
    policy = planes_of(game)
    position, rng = game.start(), np.random.default_rng(1)
    while position.outcome is None:
        seen = position.observation()
        own = (seen[..., 0] + seen[..., 1]).reshape(-1) > 0
        view = game.action_view(position.role_to_move)
        legal = position.legal_actions()
        assert own[policy.index[view[legal]] // policy.planes].all()
        position = position.play(int(rng.choice(legal)))
    assert position.plies > 10
