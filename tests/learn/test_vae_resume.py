"""The training of an auto-encoder, stopped and resumed."""

from pathlib import Path

import numpy as np

from boardwright.arena.positions import boards_of_games
from boardwright.games.registry import game
from boardwright.learn.run.loop import train
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import read_metrics
from boardwright.learn.shared import encoder_file
from boardwright.learn.vae.config import PRESETS, VAE_FILE
from boardwright.learn.vae.method import VAE

TINY = PRESETS["cathedral-tiny"]


def test_resumed_run_is_bit_identical(tmp_path: Path) -> None:
    some = boards_of_games(game("cathedral", "paper-6", "paper"), ("random",), 8, seed=0)
    train(VAE(TINY, some), tmp_path / "straight")
    for calls in (1, 4, 9):  # stopped at several places, each time in the middle
        asked = iter(range(100))
        stopped = RunObserver(stopped=lambda asked=asked, calls=calls: next(asked) >= calls)
        train(VAE(TINY, some), tmp_path / "stopped", stopped)
    train(VAE(TINY, some), tmp_path / "stopped")
    one, other = (
        encoder_file.read(tmp_path / folder / "nets" / VAE_FILE).weights for folder in ("straight", "stopped")
    )
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)
    histories = [read_metrics(tmp_path / folder).scalars for folder in ("straight", "stopped")]
    for name in histories[0]:
        if not name.startswith(("speed/", "time/")):
            assert np.array_equal(histories[0][name].values, histories[1][name].values), name
