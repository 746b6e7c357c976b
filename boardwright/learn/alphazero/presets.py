"""Runs with names: the papers' as written, and for every game a fast one, one for a laptop and a tiny one.

`tablut-paper` is the TablutZero paper's run, `tablut-paper-augment` and `tablut-paper-baseline` are its ablations;
`draughts-paper` is the DraughtsZero paper's run of about 100 games, `draughts-paper-1000` the same with about 1,000,
`draughts-paper-variant` our variant of it. docs/training.md lists what the papers leave open.
"""

from __future__ import annotations

import dataclasses

from boardwright.learn.alphazero.config import (
    AlphaZeroConfig,
    GatingConfig,
    LeagueConfig,
    LearnerConfig,
    ReplayConfig,
    SelfPlayConfig,
)
from boardwright.learn.shared.match_config import ContestConfig, SearchConfig
from boardwright.nets.config import NetConfig

_TABLUT_PAPER = AlphaZeroConfig(
    game="tablut",
    rules="tablutzero",
    iterations=100,
    net=NetConfig(
        blocks=8,
        width=128,
        policy="planes",
        value_channels=1,
        value_hidden=256,
        heads="by-role",
    ),
    search=SearchConfig(kind="gumbel", simulations=(128,)),
    selfplay=SelfPlayConfig(games=1024, steps=256, unfinished="bootstrap"),
    league=LeagueConfig(share=0.25, nets=1),  # one past self an iteration: small batches are slow
    replay=ReplayConfig(iterations=16),
    learner=LearnerConfig(
        batch_size=512,
        steps=1024,
        optimiser="adamw",
        lr_peak=2e-3,
        lr_final=1e-5,
        warmup_steps=500,
        weight_decay=1e-4,
        gradient_clip=1.0,  # the paper does not mention it; its code has it
        augment="rotations",
    ),
    evaluation=ContestConfig(first=20, every=5, opponents=4, pool=10, games=128, simulations=128),
)
_TABLUT_AUGMENT = dataclasses.replace(_TABLUT_PAPER, league=LeagueConfig(share=0.0))
_TABLUT_BASELINE = dataclasses.replace(
    _TABLUT_AUGMENT,
    replay=ReplayConfig(iterations=8),
    learner=dataclasses.replace(_TABLUT_PAPER.learner, augment="none"),
)
# Our variant of the DraughtsZero paper's run: relative values, self-play by the reference, an output for each action.
_DRAUGHTS_VARIANT = AlphaZeroConfig(
    game="draughts",
    rules="paper",
    observation="paper",
    iterations=50,
    net=NetConfig(blocks=4, width=64, policy="dense", policy_channels=2, value_channels=1, value_hidden=32),
    search=SearchConfig(kind="puct", simulations=(100,), temperature_plies=30),
    selfplay=SelfPlayConfig(games=32, steps=64),
    replay=ReplayConfig(iterations=16),
    learner=LearnerConfig(
        batch_size=128,
        steps=64,
        optimiser="adam",
        lr_peak=1e-3,
        lr_final=1e-3,
        warmup_steps=0,
        l2=1e-4,
        gradient_clip=1.0,
    ),
    gating=GatingConfig(games=40, every=5, threshold=0.55, simulations=100),
    evaluation=ContestConfig(first=10, every=10, games=32, simulations=100),
)
# As the paper has it. A game takes about 96 plies, so 50 iterations of 64 steps in 32 games are about 1,000 games.
_DRAUGHTS_PAPER_1000 = dataclasses.replace(
    _DRAUGHTS_VARIANT,
    net=dataclasses.replace(_DRAUGHTS_VARIANT.net, policy="table"),
    search=dataclasses.replace(_DRAUGHTS_VARIANT.search, values="absolute"),
    gating=dataclasses.replace(_DRAUGHTS_VARIANT.gating, selfplay="candidate"),
)
_DRAUGHTS_PAPER = dataclasses.replace(_DRAUGHTS_PAPER_1000, iterations=20, selfplay=SelfPlayConfig(games=8, steps=64))

_OURS = NetConfig(pool_every=2, value="wdl", auxiliary=("ownership", "margin", "plies"))


def _fast(game: str, *, heads: str, opening_plies: int, steps: int = 256) -> AlphaZeroConfig:
    """For one large accelerator: twice the Tablut paper's games at once, an eighth to a quarter of its simulations,
    blocks of half its width, everything reported to pay.
    """
    return AlphaZeroConfig(
        game=game,
        iterations=50,
        net=dataclasses.replace(_OURS, blocks=8, width=64, heads=heads),  # on an H200, 96 are hardly faster than 128
        search=SearchConfig(simulations=(16, 32)),
        selfplay=SelfPlayConfig(games=2048, steps=steps, opening_plies=opening_plies),
        league=LeagueConfig(share=0.125, nets=1),  # small batches are slow
        replay=ReplayConfig(iterations=8),
        learner=LearnerConfig(
            batch_size=1024,
            steps=1024,  # two samples a position: learning is cheap beside self-play
            lr_peak=3e-3,
            warmup_steps=500,
            gradient_clip=1.0,
            ema_decay=0.999,
            augment="all",
            root_value=0.25,
            policy_surprise_weight=0.5,
        ),
        evaluation=ContestConfig(first=5, every=5, games=128, simulations=32),
    )


def _draughts_fast() -> AlphaZeroConfig:
    """As the net that ships was trained: a small board with few moves leaves room for four times the games at once.

    Endgame tables end nine in ten of the games that come to them, and correct all values they know.
    """
    config = _for_draughts(_fast("draughts", heads="shared", opening_plies=6, steps=64), width=128)
    return dataclasses.replace(
        config,
        iterations=144,
        net=dataclasses.replace(config.net, value_hidden=128),
        search=dataclasses.replace(config.search, simulations=(16, 48)),
        selfplay=dataclasses.replace(config.selfplay, games=8192, adjudicate=0.9),
        league=LeagueConfig(share=0.0),
        replay=ReplayConfig(iterations=16),
        learner=dataclasses.replace(config.learner, tablebase_weight=1.0),
        evaluation=ContestConfig(first=24, every=24, opponents=2, games=128, simulations=32),
    )


def _for_draughts(config: AlphaZeroConfig, *, width: int) -> AlphaZeroConfig:
    """Half of the board's cells are never used, so that the net sees patches; one bad move must not hide what tells the
    others apart. docs/training.md says what both are worth.
    """
    config = _through_forced(config)
    return dataclasses.replace(
        config,
        net=dataclasses.replace(config.net, width=width, patch=2, policy_channels=64, value_channels=32),
        search=dataclasses.replace(config.search, values="absolute", c_scale=1.0),
    )


def _through_forced(config: AlphaZeroConfig) -> AlphaZeroConfig:
    """Where captures are forced, simulations are better spent on positions that leave a choice."""
    return dataclasses.replace(config, search=dataclasses.replace(config.search, max_forced_plies=3))


def _laptop(game: str, *, heads: str, simulations: int, iterations: int, opening_plies: int) -> AlphaZeroConfig:
    """About 30 minutes on two cores of a processor."""
    return AlphaZeroConfig(
        game=game,
        iterations=iterations,
        net=dataclasses.replace(_OURS, blocks=3, width=32, heads=heads),
        search=SearchConfig(simulations=(simulations,), max_considered_actions=8),
        selfplay=SelfPlayConfig(games=64, steps=64, opening_plies=opening_plies),
        replay=ReplayConfig(iterations=12),
        learner=LearnerConfig(
            batch_size=128,
            steps=64,
            lr_peak=3e-3,
            warmup_steps=50,
            gradient_clip=1.0,
            ema_decay=0.99,
            augment="all",
            root_value=0.25,
            policy_surprise_weight=0.5,
        ),
        evaluation=ContestConfig(first=10, every=10, opponents=2, games=16, simulations=simulations),
    )


def _tiny(game: str, *, heads: str, rules: str | None = None) -> AlphaZeroConfig:
    """For tests: everything is used, and seconds are enough."""
    return AlphaZeroConfig(
        game=game,
        rules=rules,
        iterations=4,
        net=dataclasses.replace(_OURS, blocks=1, width=8, policy_channels=4, value_hidden=8, heads=heads),
        search=SearchConfig(simulations=(4,), max_considered_actions=4),
        selfplay=SelfPlayConfig(games=16, steps=16, opening_plies=2, full_share=0.75, quick_simulations=2),
        league=LeagueConfig(share=0.25, nets=2),
        replay=ReplayConfig(iterations=3),
        learner=LearnerConfig(
            batch_size=16,
            steps=8,
            warmup_steps=4,
            ema_decay=0.9,
            augment="all",
            root_value=0.25,
            policy_surprise_weight=0.5,
        ),
        evaluation=ContestConfig(first=2, every=2, opponents=2, games=4, simulations=4),
    )


PRESETS: dict[str, AlphaZeroConfig] = {
    "tablut-paper": _TABLUT_PAPER,
    "tablut-paper-augment": _TABLUT_AUGMENT,
    "tablut-paper-baseline": _TABLUT_BASELINE,
    "draughts-paper": _DRAUGHTS_PAPER,
    "draughts-paper-1000": _DRAUGHTS_PAPER_1000,
    "draughts-paper-variant": _DRAUGHTS_VARIANT,
    "tablut-fast": dataclasses.replace(  # measured as the paper measures its own
        _fast("tablut", heads="by-role", opening_plies=4), evaluation=_TABLUT_PAPER.evaluation
    ),
    "draughts-fast": _draughts_fast(),
    "cathedral-fast": _fast("cathedral", heads="shared", opening_plies=2, steps=128),
    "tablut-laptop": _laptop("tablut", heads="by-role", simulations=16, iterations=60, opening_plies=4),
    "draughts-laptop": _for_draughts(
        _laptop("draughts", heads="shared", simulations=24, iterations=100, opening_plies=6), width=44
    ),
    "cathedral-laptop": _laptop("cathedral", heads="shared", simulations=16, iterations=40, opening_plies=2),
    "tablut-tiny": _tiny("tablut", heads="by-role"),
    "draughts-tiny": _through_forced(_tiny("draughts", heads="shared")),
    "cathedral-tiny": _tiny("cathedral", heads="shared", rules="paper"),
}


def general(game: str) -> dict[str, AlphaZeroConfig]:
    """Presets of a game that has none of its own."""
    return {
        f"{game}-fast": _fast(game, heads="by-role", opening_plies=2),
        f"{game}-laptop": _laptop(game, heads="by-role", simulations=16, iterations=60, opening_plies=2),
        f"{game}-tiny": _tiny(game, heads="by-role"),
    }
