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


@dataclass(frozen=True)
class Training:
    """A run, for each seed. `{name}` in a setting is the last file of the run of that name and the same seed."""

    name: str
    method: Literal["dqn", "ppo", "vae"]
    preset: str
    words: str
    variant: str | None = None  # a key of VARIANTS, or OWN; None: the paper's method
    settings: tuple[str, ...] = ()
    after: tuple[str, ...] = ()  # runs whose files it needs
    most_seeds: int | None = None  # made for at most that many, the first; None: for all

    def seeds(self, of: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the seeds that it is made for."""
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
    opening_plies: int = 0  # random actions before a pair of games, for players that do not choose at random
    arena: bool = False  # the second is not a net: played in the scalar engine
    paper: Figures | None = None  # the first's
    paper_second: Figures | None = None

    @property
    def name(self) -> str:
        """Of its file."""
        return f"{self.first}--{self.second}--t{self.temperature:g}"

    def seeds(self, of: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the seeds that both sides have nets of."""
        for name in (self.first,) if self.arena or self.second == RANDOM else (self.first, self.second):
            of = training_of(name).seeds(of)
        return of


@dataclass(frozen=True)
class Finding:
    """A conclusion of the paper, and the cell whose score decides on it."""

    claim: str
    first: str
    second: str
    kind: Literal["better", "no gain"]


@dataclass(frozen=True)
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

_FIRST = "DQN, 1,500 episodes"
TRAININGS: tuple[Training, ...] = (
    Training("dqn", "dqn", "cathedral-paper", "DQN, 10,000 episodes", MERGED, most_seeds=LONG_SEEDS),
    *(
        Training(name, "dqn", f"cathedral-paper-{preset}", words, MERGED)
        for name, preset, words in (
            ("boltzmann", "boltzmann", "DQN, Boltzmann and prioritised, 4,000 episodes"),
            ("epsilon", "epsilon", "DQN, ε-greedy and prioritised, 4,000 episodes"),
            ("uniform", "uniform", "DQN, Boltzmann and uniform, 4,000 episodes"),
            ("baseline", "baseline", "DQN, self-play, 2,500 episodes"),
            ("illegal-first", "illegal", f"{_FIRST} with illegal moves penalised, then 2,500 of self-play"),
            ("random-first", "random", f"{_FIRST} against random, then 2,500 of self-play"),
        )
    ),
    Training("ppo", "ppo", "cathedral-paper-kl", "PPO, 10,000 episodes", LIMITED),
    Training(
        "vae",
        "vae",
        "cathedral-paper",
        "VAE on boards of 4,000 games, half random, half of the PPO above",
        CODED,
        settings=('boards.players=["random","ppo:net={ppo},temperature=1"]',),
        after=("ppo",),
    ),
    *(
        Training(name, "ppo", "cathedral-paper-kl-vae", f"PPO {words}, 10,000 episodes", LIMITED, settings, ("vae",))
        for name, words, settings in (
            ("ppo-frozen", "with the VAE's encoder, frozen", ("encoder={vae}",)),
            (
                "ppo-tuned",
                "that starts from the VAE's encoder and trains it too",
                ("encoder={vae}", "frozen=false"),
            ),
        )
    ),
    Training("dqn-best", "dqn", "cathedral-best", "our DQN", OWN, most_seeds=OUR_SEEDS),
    Training("ppo-best", "ppo", "cathedral-best", "our PPO", OWN, most_seeds=OUR_SEEDS),
)


def _settings(*groups: str) -> tuple[str, ...]:
    """Settings from text, separated by blanks."""
    return tuple(" ".join(groups).split())


_DQN = """iterations=2 acting.games=16 acting.steps=24 acting.exploration_decay=10 transitions.capacity=1000
    learner.merge=1 learner.updates=1 evaluation.games=50"""
_PPO = """iterations=4 updates=1 rollout.games=16 learner.epochs=2 learner.minibatches=2 learner.minibatch_size=32
    evaluation.games=50 evaluation.every=1"""
_VAE = "iterations=5 boards.games=40 encoder.convolutions=[8,8] encoder.hidden=[16] encoder.latent=8 batch_size=32"
_PLAIN = "plain.convolutions=[8,8] plain.policy_hidden=[32]"
_NET = "net.blocks=1 net.width=8 net.policy_channels=4 net.value_channels=2 net.value_hidden=8"
_ENCODED = f"{_PLAIN} plain.encoder_hidden=[16] plain.latent=8 plain.value_hidden=[32]"
QUICK: dict[str, tuple[str, ...]] = {  # by run, settings of a quick look: small nets, little training
    **dict.fromkeys(("dqn", "boltzmann", "epsilon", "uniform", "baseline"), _settings(_DQN, _PLAIN)),
    "illegal-first": _settings(_DQN, _PLAIN, "acting.illegal_episodes=30"),
    "random-first": _settings(_DQN, _PLAIN, "acting.random_episodes=10"),
    "ppo": _settings(_PPO, _PLAIN, "plain.value_hidden=[32]"),
    "vae": _settings(_VAE),
    "ppo-frozen": _settings(_PPO, _ENCODED),
    "ppo-tuned": _settings(_PPO, _ENCODED),
    "dqn-best": _settings(_DQN, _NET, "learner.batch_size=32 learner.min_replay_size=64"),
    "ppo-best": _settings(_PPO, _NET),
}

PHASED = ("baseline", "illegal-first", "random-first")  # the runs of IV
EPISODES, EXPLORATION, REPLAY, PHASES = "number of episodes", "I, exploration", "III, replay", "IV, first phase"
VERSUS, PPO, CODES, OURS, SIMPLE = "II, DQN and PPO", "PPO", "VAE", "ours", "simple players"


def _random(table: str, first: str, reward: float | None = None, wins: float | None = None, at: float = 0.0) -> Cell:
    """Games against a random player, with what the paper reports and the temperature of the net."""
    paper = None if wins is None else Figures(reward, wins)
    return Cell(table=table, first=first, temperature=at, paper=paper)


def _pair(table: str, first: str, second: str, *published: tuple[float, float], at: float | None = None) -> Cell:
    """Games of two runs, with (reward, share of wins) as published of each; without a temperature from openings."""
    ours, theirs = (*(Figures(*figures) for figures in published), None, None)[:2]
    plies = 2 if at is None else 0
    return Cell(
        table=table,
        first=first,
        second=second,
        temperature=at or 0.0,
        opening_plies=plies,
        paper=ours,
        paper_second=theirs,
    )


CELLS: tuple[Cell, ...] = (
    _random(EPISODES, "dqn", 2.638, 0.958),
    _random(EXPLORATION, "epsilon", 2.731, 0.939),
    _random(EXPLORATION, "boltzmann", 2.851, 0.963),
    _pair(EXPLORATION, "boltzmann", "epsilon", (-0.0236, 0.512), (-0.0239, 0.488)),
    _random(REPLAY, "uniform", 2.699, 0.961),
    _pair(REPLAY, "boltzmann", "uniform", (0.008, 0.534), (-0.008, 0.465)),
    _random(PHASES, "illegal-first", 1.654, 0.927),
    _random(PHASES, "random-first", 2.468, 0.949),
    _random(PHASES, "baseline", 2.912, 0.962),
    _pair(PHASES, "illegal-first", "baseline", (-0.222, 0.415)),
    _pair(PHASES, "random-first", "baseline", (-0.052, 0.450)),
    _random(PPO, "ppo", None, 0.98, at=1.0),
    _pair(VERSUS, "dqn", "ppo", (-0.775, 0.784), (-1.481, 0.172), at=1.0),
    _pair(VERSUS, "dqn", "ppo"),
    _random(CODES, "ppo-frozen", at=1.0),
    _random(CODES, "ppo-tuned", at=1.0),
    _pair(CODES, "ppo-frozen", "ppo", at=1.0),
    _pair(CODES, "ppo-tuned", "ppo", at=1.0),
    _random(OURS, "dqn-best"),
    _random(OURS, "ppo-best"),
    *(_pair(OURS, ours, papers) for ours in ("dqn-best", "ppo-best") for papers in ("dqn", "ppo")),
    _pair(OURS, "dqn-best", "ppo-best"),
    *(
        Cell(table=SIMPLE, first=net, second=spec, opening_plies=2, arena=True)
        for net in ("dqn", "ppo", "dqn-best", "ppo-best")
        for spec in ("largest-first", "greedy", "greedy-mobility")
    ),
)

FINDINGS: tuple[Finding, ...] = (
    Finding("Boltzmann exploration is better than ε-greedy", "boltzmann", "epsilon", "better"),
    Finding("Prioritised replay is better than uniform", "boltzmann", "uniform", "better"),
    Finding("Learning legality first brings no gain", "illegal-first", "baseline", "no gain"),
    Finding("Playing random first brings no gain", "random-first", "baseline", "no gain"),
    Finding("DQN is better than PPO", "dqn", "ppo", "better"),
)
UNSTABLE = "PPO with the VAE's encoder, frozen, is less stable than PPO with convolutions of its own"
UNSTABLE_RUN, STABLE_RUN = "ppo-frozen", "ppo"

RECONSTRUCTION = 0.943  # share of cells that the paper's VAE reconstructs
TRAINING_TIME = "15 minutes to 3 hours"  # of a DQN

TARGETS: tuple[Target, ...] = (
    Target("dqn", RANDOM, 0.96),
    Target("ppo", RANDOM, 0.96),
    *(
        Target(best, other, 0.5, surely=True)
        for best, paper in (("dqn-best", "dqn"), ("ppo-best", "ppo"))
        for other in ("largest-first", "greedy-mobility", paper)
    ),
)


def cell_of(first: str, second: str) -> Cell:
    """The first cell of two players, which is the paper's where there are several."""
    return next(cell for cell in CELLS if (cell.first, cell.second) == (first, second))


def labels_of(*players: str) -> str:
    """Whose methods trained the runs among some players, in their order, each method once."""
    labels = {training.name: training.label for training in TRAININGS}
    return " / ".join(dict.fromkeys(labels[player] for player in players if player in labels))


def training_of(name: str) -> Training:
    """A run by its name."""
    (found,) = (training for training in TRAININGS if training.name == name)
    return found
