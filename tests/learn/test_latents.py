"""Codes in their principal plane."""

import xml.etree.ElementTree as ET
from pathlib import Path

import jax
import numpy as np
import pytest

from boardwright.arena.positions import boards_of_games
from boardwright.games.registry import game
from boardwright.learn.shared import encoder_file
from boardwright.learn.shared.boards import unpack
from boardwright.learn.vae.config import PRESETS
from boardwright.learn.vae.latents import charts, codes, principal_plane
from boardwright.nets.vae import Vae, weights_of_vae
from boardwright.views.chart import render

CATHEDRAL = game("cathedral", "paper-6", "paper")


def test_principal_plane_has_the_largest_variance() -> None:
    random = np.random.default_rng(0)
    along = random.normal(size=(500, 3)) * (10.0, 3.0, 0.1)
    turned, _ = np.linalg.qr(random.normal(size=(3, 3)))
    plane, shares = principal_plane(along @ turned + 7.0)
    assert abs(np.corrcoef(plane[:, 0], along[:, 0])[0, 1]) > 0.999
    assert abs(np.corrcoef(plane[:, 1], along[:, 1])[0, 1]) > 0.999
    assert shares == pytest.approx((100 / 109, 9 / 109), abs=0.02)
    again, _ = principal_plane(-(along @ turned))
    assert np.allclose(np.abs(again), np.abs(plane))
    flat, shares = principal_plane(np.ones((4, 1)))
    assert flat.shape == (4, 2)
    assert not flat.any()


def test_charts_show_codes_by_ply_and_by_result(tmp_path: Path) -> None:
    boards = boards_of_games(CATHEDRAL, ("random",), 6, seed=0)
    vae = Vae(PRESETS["cathedral-tiny"].encoder.as_plain(), boards.shape)
    variables = vae.init(jax.random.key(0))
    path = tmp_path / "some.vae"
    encoder_file.write(path, weights_of_vae(variables), config=vae.config, game=CATHEDRAL, training={})
    file = encoder_file.read(path)
    assert np.allclose(codes(file, boards), vae.encode(variables, unpack(boards.bits, boards.shape))[0], atol=1e-5)
    drawn = charts(file, boards)
    assert set(drawn) == {"codes-by-ply", "codes-by-result"}
    for chart in drawn.values():
        ET.fromstring(render(chart))
        assert sum(len(points.xs) for points in chart.points) == len(boards)  # each once
    by_result = {points.name: len(points.xs) for points in drawn["codes-by-result"].points}
    assert by_result["won by the mover"] == (boards.results == 1).sum()
    assert len(drawn["codes-by-ply"].points) > 2
