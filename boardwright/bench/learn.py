"""How fast DQN and PPO learn on this machine: games per second, with the learning that belongs to them.

Nets are new and play worse than they will, which makes games no shorter and answers no quicker.
"""

from collections.abc import Iterator
from typing import Any

from boardwright.bench.engine import Figure, fastest
from boardwright.learn import methods
from boardwright.learn.dqn.config import DQNConfig
from boardwright.learn.dqn.method import DQN
from boardwright.learn.ppo.config import PPOConfig
from boardwright.learn.ppo.method import PPO

WARM_UP_STEPS = 32  # of acting; as many more follow until games have ended
ACTING_STEPS = 16  # of a repetition
PPO_UPDATES = 4  # likewise
MANY_GAMES = 10_000  # as the Cathedral paper's longest runs


def default_config(method: str, game: str) -> Any:
    """The game's paper's settings, or where no paper has any, our best."""
    paper = f"{game}-paper"
    return methods.preset(method, paper if paper in methods.PRESETS[method] else None, game)


def measure(config: DQNConfig | PPOConfig) -> Iterator[Figure]:
    """Acting, updates and games per second, and how long the paper's longest run takes at that speed."""
    return _of_dqn(config) if isinstance(config, DQNConfig) else _of_ppo(config)


def _of_dqn(config: DQNConfig) -> Iterator[Figure]:
    dqn, learner = DQN(config, load_encoder=False), config.learner
    run = dqn.initialise()
    metrics, step = {}, 0
    while "selfplay/plies" not in metrics:
        for _ in range(WARM_UP_STEPS):
            run, step = dqn.act(run, 0, step), step + 1
        metrics = dqn.collect_metrics(run)
    plies = metrics["selfplay/plies"]

    def act(run: Any, number: int) -> Any:
        for step in range(ACTING_STEPS):
            run = dqn.act(run, number + 1, step)
        return run

    seconds, run = fastest(run, act)
    action = seconds / (ACTING_STEPS * config.acting.games)
    yield Figure("acting", f"acting, {config.acting.games:,} concurrent games", 1 / action, "actions/s")
    seconds, run = fastest(run, lambda run, number: dqn.learn(run, number, 0, 0)[0])
    update = seconds / (dqn.learn_chunk * learner.merge)
    merged = f", {learner.merge} merged" if learner.merge > 1 else ""
    what = f"learning, {config.architecture.size}, batches of {learner.batch_size:,}{merged}"
    yield Figure("updates", what, 1 / update, "updates/s")
    game = plies * (action + learner.updates * update)
    yield from _games(1 / game, f"{learner.updates:g} updates per action, {plies:.1f} actions per game")


def _of_ppo(config: PPOConfig) -> Iterator[Figure]:
    ppo = PPO(config, load_encoder=False)
    run = ppo.initialise()

    episodes: list[int] = []

    def update(run: Any, number: int) -> Any:
        for chunk in range(PPO_UPDATES):
            run, _ = ppo.update(run, number, chunk)
        episodes.append(int(run.episodes))
        return run

    seconds, _ = fastest(run, update)
    games = (episodes[-1] - episodes[0]) / (len(episodes) - 1)
    yield Figure("updates", f"updates of {config.learner.epochs} epochs", PPO_UPDATES / seconds, "updates/s")
    yield from _games(games / seconds, f"{games / PPO_UPDATES:.1f} games per update")


def _games(rate: float, how: str) -> Iterator[Figure]:
    yield Figure("games", f"games learned from, {how}", rate, "games/s")
    yield Figure("many_games", f"{MANY_GAMES:,} games", MANY_GAMES / rate, "seconds")
