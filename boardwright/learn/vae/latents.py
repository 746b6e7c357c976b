"""Charts of an auto-encoder's codes: boards in the plane of their two principal components.

Similar boards should have close codes, so that colours by plies played or by result form regions.
"""

import jax
import jax.numpy as jnp
import numpy as np

from boardwright.learn.shared.boards import Boards, unpack
from boardwright.learn.shared.encoder_file import EncoderFile
from boardwright.nets.modules import Encoder
from boardwright.nets.network import variables_of
from boardwright.nets.vae import ENCODER
from boardwright.views.chart import Chart, Points

MAX_POINTS = 2000  # boards shown, chosen at random
BLOCK = 1024  # boards encoded at a time
PLY_COLOURS = ("#2c1e6b", "#31598f", "#23868b", "#39a96d", "#9cc63c", "#f2c61f")  # early to late
RESULT_COLOURS = {"won by the mover": "#2f7d4f", "drawn": "#a9a49a", "lost by the mover": "#b5443c"}


def codes(file: EncoderFile, boards: Boards) -> np.ndarray:
    """[N, L] float32: the mean code of every board."""
    module = Encoder(file.config, jnp.float32)
    weights = {f"params/{name.removeprefix(ENCODER)}": weight for name, weight in file.weights.items()}
    variables = variables_of(weights)
    encode = jax.jit(lambda bits: module.apply(variables, unpack(bits, boards.shape)))
    return np.concatenate(
        [np.asarray(encode(boards.bits[first : first + BLOCK])) for first in range(0, len(boards), BLOCK)]
    )


def principal_plane(points: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """[N, 2]: points [N, L] in the plane of their two principal components, and the share of variance of each.

    The largest weight of a component is positive, so that the same points always give the same picture.
    """
    centred = points - points.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
    directions = directions * np.sign(largest)
    shares = np.square(sizes) / max(float(np.square(sizes).sum()), 1e-30)
    plane = np.zeros((len(points), 2))
    plane[:, : min(2, len(directions))] = centred @ directions[:2].T
    first, second = (float(share) for share in (*shares[:2], 0.0)[:2])
    return plane, (first, second)


def charts(file: EncoderFile, boards: Boards) -> dict[str, Chart]:
    """By name of a figure: some of the boards in their principal plane, coloured by ply and by result."""
    chosen = np.random.default_rng(0).choice(len(boards), min(MAX_POINTS, len(boards)), replace=False)
    plane, shares = principal_plane(codes(file, boards))
    plane, plies, results = plane[chosen], boards.plies[chosen], boards.results[chosen]
    edges = np.unique(np.quantile(plies, np.linspace(0, 1, len(PLY_COLOURS) + 1)).astype(int))
    groups = [(first, last - 1) for first, last in zip(edges[:-1], [*edges[1:-1], edges[-1] + 1], strict=True)]
    by_ply = tuple(
        _points(f"plies {first} to {last}", plane[(first <= plies) & (plies <= last)], colour)
        for (first, last), colour in zip(groups or [(int(edges[0]), int(edges[0]))], PLY_COLOURS, strict=False)
    )
    by_result = tuple(
        _points(name, plane[results == result], colour)
        for (name, colour), result in zip(RESULT_COLOURS.items(), (1, 0, -1), strict=True)
    )
    x_label, y_label = (f"component {place}, {share:.0%} of the variance" for place, share in enumerate(shares, 1))
    return {
        "codes-by-ply": Chart("Codes of boards, by plies played", x_label, y_label, points=by_ply),
        "codes-by-result": Chart("Codes of boards, by the game's result", x_label, y_label, points=by_result),
    }


def _points(name: str, plane: np.ndarray, colour: str) -> Points:
    return Points(name, plane[:, 0].tolist(), plane[:, 1].tolist(), colour)
