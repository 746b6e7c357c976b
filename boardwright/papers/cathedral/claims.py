"""The tables of Defradas, Goldszal, Mercier and Perez, "Learning to play a 2-player adversarial game: Cathedral".

What is trained, which runs play each other, what the paper reports, and what it concludes. Its environment is our rule
set `paper` with the observation `paper`. All runs are made once for each of several seeds, and runs of one seed play
each other. Our own, by far the longest, use the first seeds only: their targets are about nets, the paper's conclusions
about methods. So does the longest of the paper's. `Training.variant` says where a run departs from the paper's method.
"""

from dataclasses import dataclass
from typing import Literal

NAME = "cathedral"
TITLE = "Learning to play a 2-player adversarial game: Cathedral"
GAME, RULES = "cathedral", "paper"
SEEDS, QUICK_SEEDS = 5, 1
OUR_SEEDS = 2  # at most, of our own runs
LONG_SEEDS = 4  # at most, of the paper's longest
GAMES, QUICK_GAMES = 10_000, 200  # of a cell, for each seed
ARENA_GAMES, QUICK_ARENA_GAMES = 1_000, 20  # of a cell played one game after the other
RANDOM = "random"


@dataclass(frozen=True, kw_only=True)
class Training:
    """A run, for each seed. `{name}` in a setting is the file kept by the run of that name and the same seed."""

    name: str
    words: str
    method: Literal["dqn", "ppo", "vae"]
    preset: str
    variant: str | None = None  # a key of VARIANTS, or OWN; None: the paper's method
    settings: tuple[str, ...] = ()
    after: tuple[str, ...] = ()  # runs whose files it needs
    most_seeds: int | None = None  # it is made for the first of all; None: for all

    def seeds(self, of: tuple[int, ...]) -> tuple[int, ...]:
        """Those of some seeds that it is made for."""
        return of if self.most_seeds is None else of[: self.most_seeds]

    @property
    def label(self) -> str:
        """Whose method it is, as tables say it."""
        if self.variant is None:
            return "as published"
        return self.variant if self.variant == OWN else f"variant: {self.variant}"


@dataclass(frozen=True)
class Figures:
    """What the paper reports of one side."""

    reward: float | None = None  # mean
    wins: float | None = None  # share of the games


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One pairing of a table."""

    table: str
    first: str  # run
    second: str = RANDOM  # run, or a player's spec where `arena` says so
    temperature: float = 0.0  # of both
    opening_plies: int = 0  # random actions a pair of games begins with, for players that leave nothing to chance
    arena: bool = False  # the second is no net: played in the scalar engine
    paper: Figures | None = None  # the first's
    paper_second: Figures | None = None

    @property
    def name(self) -> str:
        """Of its file."""
        return f"{self.first}--{self.second}--t{self.temperature:g}"

    def seeds(self, of: tuple[int, ...]) -> tuple[int, ...]:
        """Those of some seeds that both sides have nets of."""
        for name in (self.first,) if self.arena or self.second == RANDOM else (self.first, self.second):
            of = training_of(name).seeds(of)
        return of


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A conclusion of the paper, and the cell whose score decides on it."""

    claim: str
    first: str
    second: str
    kind: Literal["better", "no gain"]


@dataclass(frozen=True, kw_only=True)
class Target:
    """A score our players must reach."""

    first: str
    second: str
    least: float  # the score, or with `surely` the lower end of its interval over games
    surely: bool = False


MERGED, LIMITED, CODED, OWN = "merged updates", "KL limit", "other boards", "ours"
VARIANTS: dict[str, tuple[str, str]] = {  # by name: the paper's method, ours
    MERGED: (
        "updates of 64 transitions, ten an action by the authors' code: 1,894,400 in 10,000 episodes",
        "64 updates merged into one gradient step on 4,096 transitions (`learner.merge=64`): 29,600 gradient steps",
    ),
    LIMITED: (
        "20 passes an update; by the authors' code no KL limit, stride 1, last net; VAE: opponent updated every step",
        (
            "passes end at a KL divergence of 0.0005, after about 1.1; stride 2; best of 20 nets by score against "
            "random; VAE: opponent updated every 10 games"
        ),
    ),
    CODED: (
        "half of the boards from games of a trained PPO, by the authors' code against random",
        "that half from games of our PPO variant against itself",
    ),
}

TRAININGS: tuple[Training, ...] = (
    Training(
        name="dqn",
        words="DQN, 10,000 episodes",
        method="dqn",
        preset="cathedral-paper",
        variant=MERGED,
        most_seeds=LONG_SEEDS,
    ),
    Training(
        name="boltzmann",
        words="DQN, Boltzmann and prioritised, 4,000 episodes",
        method="dqn",
        preset="cathedral-paper-boltzmann",
        variant=MERGED,
    ),
    Training(
        name="epsilon",
        words="DQN, ε-greedy and prioritised, 4,000 episodes",
        method="dqn",
        preset="cathedral-paper-epsilon",
        variant=MERGED,
    ),
    Training(
        name="uniform",
        words="DQN, Boltzmann and uniform, 4,000 episodes",
        method="dqn",
        preset="cathedral-paper-uniform",
        variant=MERGED,
    ),
    Training(
        name="baseline",
        words="DQN, self-play, 2,500 episodes",
        method="dqn",
        preset="cathedral-paper-baseline",
        variant=MERGED,
    ),
    Training(
        name="illegal-first",
        words="DQN, 1,500 episodes with illegal moves penalised, then 2,500 of self-play",
        method="dqn",
        preset="cathedral-paper-illegal",
        variant=MERGED,
    ),
    Training(
        name="random-first",
        words="DQN, 1,500 episodes against random, then 2,500 of self-play",
        method="dqn",
        preset="cathedral-paper-random",
        variant=MERGED,
    ),
    Training(name="ppo", words="PPO, 10,000 episodes", method="ppo", preset="cathedral-paper-kl", variant=LIMITED),
    Training(
        name="vae",
        words="VAE on boards of 4,000 games, half random, half of the PPO above",
        method="vae",
        preset="cathedral-paper",
        variant=CODED,
        settings=('boards.players=["random","ppo:net={ppo},temperature=1"]',),
        after=("ppo",),
    ),
    Training(
        name="ppo-frozen",
        words="PPO with the VAE's encoder, frozen, 10,000 episodes",
        method="ppo",
        preset="cathedral-paper-kl-vae",
        variant=LIMITED,
        settings=("encoder={vae}",),
        after=("vae",),
    ),
    Training(
        name="ppo-tuned",
        words="PPO that starts from the VAE's encoder and trains it too, 10,000 episodes",
        method="ppo",
        preset="cathedral-paper-kl-vae",
        variant=LIMITED,
        settings=("encoder={vae}", "frozen=false"),
        after=("vae",),
    ),
    Training(
        name="dqn-best", words="our DQN", method="dqn", preset="cathedral-best", variant=OWN, most_seeds=OUR_SEEDS
    ),
    Training(
        name="ppo-best", words="our PPO", method="ppo", preset="cathedral-best", variant=OWN, most_seeds=OUR_SEEDS
    ),
)

_QUICK_DQN = (
    "iterations=2",
    "acting.games=16",
    "acting.steps=24",
    "acting.exploration_decay=10",
    "transitions.capacity=1000",
    "learner.merge=1",
    "learner.updates=1",
    "evaluation.games=50",
)
_QUICK_PLAIN = ("plain.convolutions=[8,8]", "plain.policy_hidden=[32]")
_QUICK_PPO = (
    "iterations=4",
    "updates=1",
    "rollout.games=16",
    "learner.epochs=2",
    "learner.minibatches=2",
    "learner.minibatch_size=32",
    "evaluation.games=50",
    "evaluation.every=1",
)
_QUICK_NET = ("net.blocks=1", "net.width=8", "net.policy_channels=4", "net.value_channels=2", "net.value_hidden=8")
_QUICK_CODES = (
    "plain.convolutions=[8,8]",
    "plain.encoder_hidden=[16]",
    "plain.latent=8",
    "plain.policy_hidden=[32]",
    "plain.value_hidden=[32]",
)
_QUICK_PAPER_DQN = (*_QUICK_DQN, *_QUICK_PLAIN)
QUICK: dict[str, tuple[str, ...]] = {  # by run, settings of a quick look: everything is done, and little of it
    **dict.fromkeys(("dqn", "boltzmann", "epsilon", "uniform", "baseline"), _QUICK_PAPER_DQN),
    "illegal-first": (*_QUICK_PAPER_DQN, "acting.illegal_episodes=30"),
    "random-first": (*_QUICK_PAPER_DQN, "acting.random_episodes=10"),
    "ppo": (*_QUICK_PPO, *_QUICK_PLAIN, "plain.value_hidden=[32]"),
    "vae": (
        "iterations=5",
        "boards.games=40",
        "encoder.convolutions=[8,8]",
        "encoder.hidden=[16]",
        "encoder.latent=8",
        "batch_size=32",
    ),
    "ppo-frozen": (*_QUICK_PPO, *_QUICK_CODES),
    "ppo-tuned": (*_QUICK_PPO, *_QUICK_CODES),
    "dqn-best": (*_QUICK_DQN, *_QUICK_NET, "learner.batch_size=32", "learner.min_replay_size=64"),
    "ppo-best": (*_QUICK_PPO, *_QUICK_NET),
}

EPISODES, EXPLORATION, REPLAY, PHASES = "number of episodes", "I, exploration", "III, replay", "IV, first phase"
VERSUS, PPO, CODES, OURS, SIMPLE = "II, DQN and PPO", "PPO", "VAE", "ours", "simple players"


def _against_random(table: str, first: str, reward: float | None, wins: float, temperature: float = 0.0) -> Cell:
    return Cell(table=table, first=first, temperature=temperature, paper=Figures(reward, wins))


def _met(table: str, first: str, second: str, ours: Figures | None = None, theirs: Figures | None = None) -> Cell:
    return Cell(table=table, first=first, second=second, opening_plies=2, paper=ours, paper_second=theirs)


CELLS: tuple[Cell, ...] = (
    _against_random(EPISODES, "dqn", 2.638, 0.958),
    _against_random(EXPLORATION, "epsilon", 2.731, 0.939),
    _against_random(EXPLORATION, "boltzmann", 2.851, 0.963),
    _met(EXPLORATION, "boltzmann", "epsilon", Figures(-0.0236, 0.512), Figures(-0.0239, 0.488)),
    _against_random(REPLAY, "uniform", 2.699, 0.961),
    _met(REPLAY, "boltzmann", "uniform", Figures(0.008, 0.534), Figures(-0.008, 0.465)),
    _against_random(PHASES, "illegal-first", 1.654, 0.927),
    _against_random(PHASES, "random-first", 2.468, 0.949),
    _against_random(PHASES, "baseline", 2.912, 0.962),
    _met(PHASES, "illegal-first", "baseline", Figures(-0.222, 0.415)),
    _met(PHASES, "random-first", "baseline", Figures(-0.052, 0.450)),
    _against_random(PPO, "ppo", None, 0.98, temperature=1.0),
    Cell(
        table=VERSUS,
        first="dqn",
        second="ppo",
        temperature=1.0,
        paper=Figures(-0.775, 0.784),
        paper_second=Figures(-1.481, 0.172),
    ),
    _met(VERSUS, "dqn", "ppo"),
    Cell(table=CODES, first="ppo-frozen", temperature=1.0),
    Cell(table=CODES, first="ppo-tuned", temperature=1.0),
    Cell(table=CODES, first="ppo-frozen", second="ppo", temperature=1.0),
    Cell(table=CODES, first="ppo-tuned", second="ppo", temperature=1.0),
    Cell(table=OURS, first="dqn-best"),
    Cell(table=OURS, first="ppo-best"),
    *(_met(OURS, ours, papers) for ours in ("dqn-best", "ppo-best") for papers in ("dqn", "ppo")),
    _met(OURS, "dqn-best", "ppo-best"),
    *(
        Cell(table=SIMPLE, first=net, second=spec, opening_plies=2, arena=True)
        for net in ("dqn", "ppo", "dqn-best", "ppo-best")
        for spec in ("largest-first", "greedy", "greedy-mobility")
    ),
)

FINDINGS: tuple[Finding, ...] = (
    Finding(claim="Boltzmann exploration is better than ε-greedy", first="boltzmann", second="epsilon", kind="better"),
    Finding(claim="Prioritised replay is better than uniform", first="boltzmann", second="uniform", kind="better"),
    Finding(claim="Learning legality first brings no gain", first="illegal-first", second="baseline", kind="no gain"),
    Finding(claim="Playing random first brings no gain", first="random-first", second="baseline", kind="no gain"),
    Finding(claim="DQN is better than PPO", first="dqn", second="ppo", kind="better"),
)
UNSTABLE = "PPO with the VAE's encoder, frozen, is less stable than PPO with convolutions of its own"
UNSTABLE_RUN, STABLE_RUN = "ppo-frozen", "ppo"

RECONSTRUCTION = 0.943  # share of cells that the paper's VAE reconstructs
TRAINING_TIME = "15 minutes to 3 hours"  # of a DQN

TARGETS: tuple[Target, ...] = (
    Target(first="dqn", second=RANDOM, least=0.96),
    Target(first="ppo", second=RANDOM, least=0.96),
    *(
        Target(first=best, second=other, least=0.5, surely=True)
        for best, paper in (("dqn-best", "dqn"), ("ppo-best", "ppo"))
        for other in ("largest-first", "greedy-mobility", paper)
    ),
)


def cell_of(first: str, second: str) -> Cell:
    """The first cell in which two meet: as in the paper, where they also do otherwise."""
    return next(cell for cell in CELLS if (cell.first, cell.second) == (first, second))


def labels_of(*players: str) -> str:
    """Whose methods trained the runs among some players, in their order, each method once."""
    labels = {training.name: training.label for training in TRAININGS}
    return " / ".join(dict.fromkeys(labels[player] for player in players if player in labels))


def training_of(name: str) -> Training:
    """A run by its name."""
    (found,) = (training for training in TRAININGS if training.name == name)
    return found
