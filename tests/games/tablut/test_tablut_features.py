"""What the learner sees, plane by plane, and what the symmetries are called."""

import numpy as np
import pytest
from images import image_of

import boardwright
from boardwright.games.tablut.rules import START

SHUFFLE = ["c3-c4", "c8-c7", "c4-c3", "c7-c8"]  # four plies that lead back


@pytest.mark.parametrize(
    ("rules", "quiet", "plies", "expected"),
    [
        ("tablutzero", 50, 128, (0.25, 0.5)),
        ("tablutzero-code", 50, 256, (0.5, 0.25)),
        ("mcgill", 25, 50, (0.5, 0.25)),
        ({"max_plies": "none", "max_quiet_plies": 64}, 16, 128, (0.25, 0.25)),
    ],
)
def test_counter_planes(rules: str | dict, quiet: int, plies: int, expected: tuple[float, float]) -> None:
    game = boardwright.game("tablut", rules)
    planes = game.position(f"{START} a {quiet} {plies}").observation(0)
    for name, value in zip(("plies played / maximum", "plies since a capture / maximum"), expected, strict=True):
        assert np.allclose(planes[..., game.planes.index(name)], value)


def test_planes_by_name() -> None:
    game = boardwright.game("tablut", {"repetition_limit": 4})
    position = game.position("/9/9/2t6/9/9/9/6K2/2T6/9/ a 0 0")

    def plane(name: str, role: int = 0) -> np.ndarray:
        return position.observation(role)[..., game.planes.index(name)]

    assert np.argwhere(plane("own taflmen")).tolist() == [[6, 2]]
    assert np.argwhere(plane("enemy taflmen")).tolist() == [[1, 2]]
    assert np.argwhere(plane("king")).tolist() == [[2, 6]]
    assert np.argwhere(plane("own taflmen", 1)).tolist() == [[1, 2]]
    assert plane("attackers to move").all()
    for move in SHUFFLE:
        position = position.play(move)
    assert plane("seen before").all()
    assert not plane("seen twice before").any()
    assert not plane("seen before, 1 plies ago").any()
    for move in [*SHUFFLE, SHUFFLE[0]]:
        position = position.play(move)
    assert not plane("attackers to move").any()
    assert plane("seen twice before, 1 plies ago").all()
    assert np.argwhere(plane("own taflmen, 1 plies ago")).tolist() == [[6, 2]]
    assert np.argwhere(plane("own taflmen")).tolist() == [[5, 2]]


def test_symmetry_names_say_what_they_do() -> None:
    """Rotations are anticlockwise: the top right corner comes to the top left."""
    planes = np.arange(81 * 43).reshape(9, 9, 43)
    by_name = {symmetry.name: symmetry for symmetry in boardwright.game("tablut").symmetries()}
    assert np.array_equal(image_of(by_name["rotate90"], planes), np.rot90(planes))
    assert np.array_equal(image_of(by_name["mirror+rotate0"], planes), planes[:, ::-1])


def test_counter_planes_never_leave_the_unit_interval() -> None:
    game = boardwright.game("tablut", {"max_plies": "none", "max_quiet_plies": 200})
    position = game.position(f"{START} a 0 700")
    assert position.observation().max() == 1
    state = game.batch().from_position(position)
    assert np.array_equal(game.batch().observe(state, 0), position.observation(0))
