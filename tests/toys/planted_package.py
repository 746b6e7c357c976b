"""What ships with the package, without training or measuring: nets that know nothing, and made-up ratings."""

from pathlib import Path

import numpy as np

import boardwright
from boardwright.arena import ladder_file
from boardwright.games.registry import game_class
from boardwright.nets import netfile
from boardwright.nets.config import Architecture, EvaluationConfig, NetConfig, PlainConfig
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.stats.bayeselo import Rating

RESIDUAL = NetConfig(blocks=1, width=8)
PLAIN = PlainConfig(convolutions=(4,), policy_hidden=(8,))  # whose value foretells nothing
EVALUATION = EvaluationConfig(width=8, hidden=4)


def plant_shipped_net(
    folder: Path, name: str, game: str, rules: str | None = None, *, method: str, config: Architecture = RESIDUAL
) -> None:
    """A net of small random weights, by a name."""
    seen = game_class(game).evaluation_observation if isinstance(config, EvaluationConfig) else None
    bound, chance = boardwright.game(game, rules, seen), np.random.default_rng(1)
    shapes = weight_shapes(config, interface_of(config, bound))
    weights = {name: chance.uniform(0.1, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.safetensors"
    netfile.write(path, config=config, game=bound, weights=weights, training={"method": method})


def plant_ratings(folder: Path, game: str, rules: str, elo: dict[str, float]) -> Path:
    """A file of ratings, each known to 60 points up and 40 down."""
    players = [Rating(spec, points, 60.0, 40.0, 100) for spec, points in elo.items()]
    origin = {"command": "boardwright ladder made up", "machine": "a made-up machine"}
    rated = ladder_file.RatedField(
        **origin,
        game=game,
        rules=rules,
        date="2025-01-31",
        version="0.0.1",
        games=100,
        advantage=20.5,
        draw=80.0,
        doubts=("three games were dreamt",),
        players=tuple(sorted(players, key=lambda rating: -rating.elo)),
    )
    path = folder / f"{game}-{rules}.json"
    ladder_file.write(path, rated)
    return path
