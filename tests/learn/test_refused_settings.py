"""Settings that contradict each other or are out of range are refused with the name of the setting."""

from typing import Any

import pytest

from boardwright.errors import RunError
from boardwright.learn.dqn.config import PRESETS as DQN
from boardwright.learn.ppo.config import PRESETS as PPO
from boardwright.learn.run import settings
from boardwright.learn.vae.config import PRESETS as VAE

# By preset: assignments, separated by spaces, and a part of the message.
REFUSED = (
    (
        DQN["cathedral-tiny"],
        {
            "learner.updates=0.3": "setting learner.updates: learner.updates x acting.games / learner.merge is 1.2",
            "transitions.capacity=3": "setting transitions.capacity: must be at least 8",
            "learner.target_share=0.1": "setting learner.target_every: exactly one of it and learner.target_share",
            "evaluation.games=3": "setting evaluation.games: must be even",
            "plain=none": "setting net: give exactly one of net and plain",
            "learner.discount=1.5": "setting learner.discount: 1.5 is not from 0 to 1",
            "frozen=true": "setting frozen: needs a pretrained encoder",
        },
    ),
    (
        PPO["cathedral-tiny"],
        {
            "plain=none": "exactly one of net and plain",
            "net.blocks=2": "exactly one of net and plain",
            "learner.clip=0": "setting learner.clip: 0.0 is not from 1e-06 to 100",
            "plain.value_hidden=none": "PPO needs a value",
            "learner.minibatches=50": "exceed the 36 decisions of one update",
            "frozen=true": "needs a pretrained encoder",
            "opponent.kind=league opponent.nets=7": "7 past checkpoints need at least 7 games",
            "evaluation.games=3": "must be even",
            "evaluation.every=0 evaluation.keep=best": "best needs evaluation games",
            "plain=none net.value=scalar rewards=shaped": "set it to linear",
        },
    ),
    (
        VAE["cathedral-tiny"],
        {
            "beta=-1": "setting beta: -1.0 is not from 0 to 1000",
            "boards.games=1": "setting boards.games: 1 is not from 2",
            "boards.players=[]": "setting boards.players: expected at least one",
            "encoder.latent=0": "setting encoder.latent: 0 is not from 1",
        },
    ),
)


@pytest.mark.parametrize(
    ("preset", "assignments", "message"),
    [(preset, *case) for preset, cases in REFUSED for case in cases.items()],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_setting_is_refused(preset: Any, assignments: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        settings.apply(preset, assignments.split())
