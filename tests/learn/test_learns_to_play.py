"""Nets that learn for less than a minute: they play far better than chance, and than they did before."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from boardwright.learn.alphazero.config import PRESETS
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.run import league, loop, settings

SETTINGS = (
    "iterations=5",
    "net.width=16",
    "net.policy_channels=8",
    "net.value_hidden=16",
    "search.simulations=12",
    "search.max_considered_actions=6",
    "selfplay.games=64",
    "selfplay.steps=48",
    "selfplay.full_share=1",
    "league.share=0",
    "replay.iterations=6",
    "learner.batch_size=64",
    "learner.steps=96",
    "learner.lr_peak=5e-3",
    "learner.warmup_steps=20",
    "learner.ema_decay=0.98",
    "evaluation.every=0",
)


@pytest.mark.usefixtures("careful_compiler")
@pytest.mark.parametrize(
    ("game", "rules", "more"),
    [
        ("draughts", "wcdf", ()),
        pytest.param("cathedral", "paper-6", ("selfplay.steps=24", "selfplay.games=48"), marks=pytest.mark.slow),
    ],
)
def test_tiny_net_beats_random_and_its_untrained_net(
    game: str, rules: str, more: tuple[str, ...], tmp_path: Path
) -> None:
    config = settings.apply(PRESETS[f"{game}-tiny"], [f"rules={rules}", *SETTINGS, *more])
    loop.train(AlphaZero(config), tmp_path)
    best, first = tmp_path / "nets" / league.BEST, tmp_path / "nets" / "000000.net"
    assert _score(game, rules, f"alphazero:net={best},sims=16", "random", 40) >= 0.9
    now, then = (f"net:net={net},temperature=0.3,seed={seed}" for seed, net in enumerate((best, first)))
    assert _score(game, rules, now, then, 60) > 0.7


def _score(game: str, rules: str, one: str, other: str, games: int) -> float:
    program = str(Path(sys.executable).parent / "boardwright")
    options = ["--rules", rules, "--games", str(games), "--openings", "random:2", "--json"]
    done = subprocess.run([program, "match", game, one, other, *options], capture_output=True, check=True, timeout=300)
    return json.loads(done.stdout)["score"]
