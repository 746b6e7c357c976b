"""Images under symmetries; not a test itself."""

from typing import Any

import numpy as np

from boardwright.games.base import Symmetry


def image_of(symmetry: Symmetry, planes: np.ndarray) -> np.ndarray:
    """The image of an observation [rows, columns, planes]."""
    image = np.empty(planes.size, planes.dtype)
    image[symmetry.entries] = planes.reshape(-1)
    return image.reshape(planes.shape)


def image_of_action(symmetry: Symmetry, position: Any, action: int) -> int:
    """The image of an action; the two sides of Cathedral's coin, which have no place on the board, do not change."""
    awaits_coin = getattr(position.game, "awaits_coin", lambda core: False)
    return action if awaits_coin(position.core) else int(symmetry.actions[action])
