"""Named settings of evaluation networks: for a laptop, and a tiny one."""

from __future__ import annotations

from boardwright.learn.evaluation.config import (
    AlphaBetaConfig,
    AlphaBetaContestsConfig,
    AlphaBetaGamesConfig,
    AlphaBetaLearnerConfig,
)
from boardwright.nets.config import EvaluationConfig

PRESETS: dict[str, AlphaBetaConfig] = {
    "draughts-laptop": AlphaBetaConfig(game="draughts"),  # meant for two cores of a processor
    "draughts-tiny": AlphaBetaConfig(  # for tests: uses every feature and takes seconds
        game="draughts",
        iterations=4,
        net=EvaluationConfig(width=16, hidden=4, phases=2),
        selfplay=AlphaBetaGamesConfig(games=24, nodes=50),
        replay=2000,
        learner=AlphaBetaLearnerConfig(batch_size=64, steps=32, lr_peak=1e-2),
        evaluation=AlphaBetaContestsConfig(every=2, games=4, nodes=50),
    ),
}
