"""Images under symmetries; not a test itself."""

import numpy as np

from boardwright.games.base import Symmetry


def image_of(symmetry: Symmetry, planes: np.ndarray) -> np.ndarray:
    """The image of an observation [rows, columns, planes]."""
    image = np.empty(planes.size, planes.dtype)
    image[symmetry.entries] = planes.reshape(-1)
    return image.reshape(planes.shape)
