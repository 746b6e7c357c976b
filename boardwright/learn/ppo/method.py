"""PPO as a method of the loop: when it updates, meets past selves and is measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax

from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import memory
from boardwright.learn.match.against_random import chosen_by, make_evaluate
from boardwright.learn.ppo.config import PPOConfig
from boardwright.learn.ppo.ppo import PPO, Run, make_ppo, with_past_self
from boardwright.learn.run import league
from boardwright.learn.run.loop import Desk, Method
from boardwright.learn.shared.encoder_file import encoder_for
from boardwright.nets.network import Variables


def ppo_method(config: PPOConfig) -> Method[Run]:
    """What the loop runs; a piece of work is an update."""
    game = make_game(config.game, config.rules, config.observation)
    ppo = make_ppo(config, encoder=encoder_for(config.encoder, config.architecture, game))

    def work(run: Run, iteration: int, chunk: int, desk: Desk) -> tuple[Run, Mapping[str, Any]]:
        with memory("rollout.games, rollout.rows or learner.minibatch"):
            if chunk == 0:
                run = _with_league(ppo, run, iteration, desk.nets)
            return jax.block_until_ready(ppo.update(run, iteration, chunk))

    def player(run: Run) -> tuple[Any, Variables]:
        return config.architecture, run.learner.variables

    return Method(
        name="ppo",
        config=config,
        game=ppo.game,
        init=ppo.init,
        chunks=config.updates,
        work=work,
        phase=lambda chunks: ("updates", chunks, config.updates),
        scalars=scalars,
        player=player,
        evaluate=make_evaluate(config.evaluation, config.seed, ppo.network, ppo.env, lambda run: run.learner.variables),
        chosen_by=chosen_by(config.evaluation),
        next_iteration=ppo.next_iteration,
        carried=("learner", "opponent", "episodes", "followed"),
    )


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


def _with_league(ppo: PPO, run: Run, iteration: int, nets: Path) -> Run:
    """The run with another past self in the league, which changes in turn."""
    if ppo.config.opponent.kind != "league" or run.opponent is None or iteration == 0:
        return run
    (past,) = league.nearest_kept(nets, [league.drawn_past_self(ppo.config.seed, iteration)], before=iteration)
    variables = league.recall(league.path_of(nets, past), ppo.game)
    return with_past_self(run, iteration % ppo.config.opponent.nets, variables)
