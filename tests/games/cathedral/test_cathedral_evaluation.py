"""The static evaluation of alpha-beta, computed once more from what the players see of a position."""

import math
import random

import numpy as np
import pytest

import boardwright
from boardwright._core import CathedralPosition
from boardwright.games.base import Position
from boardwright.games.cathedral.pieces import BUILDINGS, SIZES, placements

# With an empty board and with a full one, as in src/core/games/cathedral/evaluation.hpp.
WEIGHTS = {
    "left": (-60, -140),
    "stuck": (0, -40),
    "territory": (15, 12),
    "room": (0, 8),
    "shapes": (-10, 45),
    "short": (0, -50),
    "safe": (25, 6),
}
TO_MOVE = 260  # with an empty board; 0 with a full one


def features(position: Position, role: int) -> dict[str, int]:
    rules = position.game.rules
    planes = position.observation(role).astype(bool).reshape(-1, position.game.observation_shape[2])
    free = np.flatnonzero(~(planes[:, 0] | planes[:, 1] | planes[:, 2] | planes[:, 4]))
    territory = int(planes[:, 3].sum())
    where = position.core_as(CathedralPosition).where()[role]
    hand = [piece for piece in range(BUILDINGS) if where[piece] < 0]
    listed = placements(rules.size, rules.mirrored[role])  # type: ignore[attr-defined]
    fitting = [placed.piece for placed in listed if placed.piece in hand and placed.cells <= set(free.tolist())]
    left = sum(SIZES[piece] for piece in hand)
    return {
        "left": left,
        "stuck": left - sum(SIZES[piece] for piece in set(fitting)),
        "territory": territory,
        "room": int(10 * math.sqrt(len(fitting))),
        "shapes": len(set(fitting)),
        "short": max(0, left - len(free)),
        "safe": min(left, territory),
    }


@pytest.mark.parametrize("rules", ["paper", "official"])
def test_score_is_the_weighted_sum_of_the_features(rules: str) -> None:
    game, chance, met = boardwright.game("cathedral", rules), random.Random(4), set[str]()
    search = game.alphabeta(1, 1)
    for _ in range(12):
        position = game.start()
        while position.outcome is None:
            if position.role_to_move in (0, 1):
                light, dark = features(position, 0), features(position, 1)
                built = int(position.observation(0)[..., :3].sum())
                cells = position.observation(0)[..., 0].size
                sign = 1 if position.role_to_move == 0 else -1
                empty = sum(WEIGHTS[name][0] * (light[name] - dark[name]) for name in WEIGHTS) + sign * TO_MOVE
                full = sum(WEIGHTS[name][1] * (light[name] - dark[name]) for name in WEIGHTS)
                score = math.trunc((empty * (cells - built) + full * built) / cells)
                assert search.value(position.core) == sign * score, position.text
                met |= {name for name in WEIGHTS if light[name] != dark[name]}
            position = position.play(chance.choice(position.legal_actions()))
    assert met == set(WEIGHTS)
