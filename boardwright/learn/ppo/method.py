"""PPO as a method of the training loop: when it updates, meets past checkpoints and is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax

from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import memory
from boardwright.learn.match.against_random import chosen_by, make_evaluate
from boardwright.learn.ppo.config import PPOConfig
from boardwright.learn.ppo.ppo import Run, make_ppo, with_past_self
from boardwright.learn.run import league
from boardwright.learn.run.method import Method, MethodContext
from boardwright.learn.shared.encoder_file import encoder_for
from boardwright.nets.network import Variables


class PPO(Method[Run]):
    """A chunk is one update."""

    name = "ppo"
    portable_fields = ("learner", "opponent", "episodes", "followed")

    def __init__(self, config: PPOConfig):
        self.config = config
        self.game = make_game(config.game, config.rules, config.observation)
        self.functions = make_ppo(config, encoder=encoder_for(config.encoder, config.architecture, self.game))
        self.chunks = config.updates
        self.best_metric = chosen_by(config.evaluation)
        functions = self.functions
        self._evaluate = make_evaluate(config.evaluation, config.seed, functions.network, functions.env, _variables)

    def initialise(self) -> Run:
        """New games and nets."""
        return self.functions.init()

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, Mapping[str, Any]]:
        """One update."""
        with memory("rollout.games, rollout.steps or learner.minibatch_size"):
            if chunk == 0:
                state = self._with_league(state, iteration, context.nets)
            return jax.block_until_ready(self.functions.update(state, iteration, chunk))

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        """In updates."""
        return "updates", chunks, self.chunks

    def collect_metrics(self, state: Run) -> dict[str, float]:
        """Of games and updates."""
        return scalars(state)

    def evaluate(self, state: Run, done: int, context: MethodContext) -> dict[str, float]:
        """Games against a random player."""
        return self._evaluate(state, done, context)

    def export_net(self, state: Run) -> tuple[Any, Variables]:
        """The net of policy and value."""
        return self.config.architecture, _variables(state)

    def next_iteration(self, state: Run) -> Run:
        """With a new tally."""
        return self.functions.next_iteration(state)

    def _with_league(self, state: Run, iteration: int, nets: Path) -> Run:
        """The state with one opponent of the league replaced, each in turn, by the net of a past iteration."""
        opponent, seed = self.config.opponent, self.config.seed
        if opponent.kind != "league" or state.opponent is None or iteration == 0:
            return state
        (past,) = league.nearest_kept(nets, [league.drawn_past_self(seed, iteration)], before=iteration)
        variables = league.recall(league.path_of(nets, past), self.game)
        return with_past_self(state, iteration % opponent.nets, variables)


def scalars(run: Run) -> dict[str, float]:
    """What is told of an iteration, by the names that `boardwright plot` knows."""
    counted: Any = jax.device_get((run.tally, run.told))
    tally, told = counted
    ended, updates = int(tally.ended.sum()), max(float(told["updates"]), 1.0)
    found = {
        "selfplay/games": ended,
        "selfplay/moves": int(tally.moves),
        "selfplay/episodes": int(run.episodes),
        **{f"ppo/{name}": float(total) / updates for name, total in told.items() if name != "updates"},
    }
    if ended:
        found |= {
            "selfplay/role0_wins": int(tally.ended[0]) / ended,
            "selfplay/role1_wins": int(tally.ended[1]) / ended,
            "selfplay/draws": int(tally.ended[2]) / ended,
            "selfplay/plies": float(tally.plies) / ended,
            "selfplay/mean_reward": float(tally.paid) / ended,
        }
    for role in range(2):
        games = int(tally.against[role].sum())
        if games:
            won, drawn = int(tally.against[role][0]), int(tally.against[role][1])
            found[f"league/role{role}_score"] = (won + drawn / 2) / games
    return found


def _variables(run: Run) -> Variables:
    return run.learner.variables
