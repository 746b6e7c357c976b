"""Whole runs of PPO: learning perfect play, the opponent's schedule, and exact resume."""

import dataclasses
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from images import image_of
from run_files import checkpoint_arrays
from sizes import size
from tictactoe import Core

from boardwright.errors import RunError
from boardwright.games.base import ONGOING
from boardwright.games.registry import game
from boardwright.learn.match.policies import replace_net
from boardwright.learn.ppo.config import PRESETS, OpponentConfig, PPOConfig, PPOLearnerConfig, RolloutConfig
from boardwright.learn.ppo.method import PPO, Run
from boardwright.learn.ppo.selfplay import make_decide
from boardwright.learn.run import checkpoint, league, loop, packing, portable_state, settings
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import read_metrics
from boardwright.learn.shared import encoder_file
from boardwright.learn.shared.symmetry_images import SymmetryImages
from boardwright.nets import netfile
from boardwright.nets.config import NetConfig, PlainConfig
from boardwright.nets.network import weights_of

SMALL = PlainConfig(convolutions=(4,), policy_hidden=(8,), value_hidden=(8,))
LEARNER = PPOLearnerConfig(epochs=4, minibatches=4, minibatch_size=512, actor_lr=3e-3, critic_lr=3e-3)
TICTACTOE = PPOConfig(
    game="tictactoe",
    iterations=1,
    updates=300,
    plain=PlainConfig(convolutions=(32,), policy_hidden=(128,), value_hidden=(128,)),
    rollout=RolloutConfig(games=256, steps=8, augment="all"),
    opponent=OpponentConfig(share=0.0),
    learner=dataclasses.replace(LEARNER, discount=1.0, entropy=0.1, lr_final_share=0.02, gradient_clip=1.0),
)
SOME = dataclasses.replace(
    TICTACTOE,
    updates=2,
    plain=SMALL,
    rollout=RolloutConfig(games=8, steps=6),
    opponent=OpponentConfig(soft_every=2, copy_every=10),
    learner=PPOLearnerConfig(epochs=2, minibatches=2, minibatch_size=8),
)


def _best_actions(ppo: PPO, run: Run) -> Any:
    """Position -> the action the net likes best."""
    apply = jax.jit(ppo.network.apply)
    known: dict[tuple[int, ...], int] = {}

    def best(core: Core) -> int:
        if core.board not in known:
            role = core.role_to_move
            said = apply(run.learner.variables, core.observe(role)[None], np.array([role], np.int8))
            known[core.board] = int(np.where(core.legal_mask(), said.policy_logits[0], -np.inf).argmax())
        return known[core.board]

    return best


def _lost_lines(best: Any, core: Core, role: int) -> int:
    """How many of all lines an opponent can choose are lost by one that plays its best action in a role."""
    if core.result != ONGOING:
        return int(core.result == 1 - role)
    replies = [best(core)] if core.role_to_move == role else core.legal_actions()
    return sum(_lost_lines(best, core.play(action), role) for action in replies)


@pytest.mark.usefixtures("careful_compiler")
def test_it_learns_to_play_tic_tac_toe() -> None:
    """Of the lines that lose at first a fifth is left, or none with `--full`: perfect play."""
    ppo = PPO(TICTACTOE)
    run = ppo.initialise()
    best = _best_actions(ppo, run)
    lost = sum(_lost_lines(best, Core(), role) for role in range(2))
    assert lost > 50
    allowed = size(lost // 5, full=0)
    for number in range(TICTACTOE.updates):
        run, _ = ppo.update(run, 0, number)
        if number % 25 == 24:
            best = _best_actions(ppo, run)
            lost = sum(_lost_lines(best, Core(), role) for role in range(2))
            if lost <= allowed:
                break
    assert lost <= allowed


def test_older_copy_follows_by_finished_games() -> None:
    config = dataclasses.replace(SOME, opponent=OpponentConfig(soft_every=3, soft_share=0.3, copy_every=1000))
    ppo = PPO(config)
    run = ppo.initialise()
    for number in range(3):
        before = weights_of(run.opponent)
        games = int(run.episodes)
        run, _ = ppo.update(run, 0, number)
        assert int(run.episodes) > games
        share = 0.7 ** (int(run.episodes) // 3 - games // 3)
        learned, opponent = weights_of(run.learner.variables), weights_of(run.opponent)
        for name, weight in opponent.items():
            np.testing.assert_allclose(weight, share * before[name] + (1 - share) * learned[name], rtol=1e-4, atol=1e-6)
    assert int(run.episodes) == int(run.tally.ended.sum())


@pytest.mark.parametrize(
    "opponent",
    [OpponentConfig(kind="random"), OpponentConfig(kind="league", nets=2, share=0.5), OpponentConfig(share=0.0)],
    ids=lambda opponent: f"{opponent.kind}-{opponent.share}",
)
def test_other_opponents(opponent: OpponentConfig) -> None:
    ppo = PPO(dataclasses.replace(SOME, opponent=opponent))
    run = ppo.initialise()
    if opponent.kind == "league":
        past = ppo.network.init(jax.random.key(5))
        run = dataclasses.replace(run, opponent=replace_net(run.opponent, 1, past))
    kept = weights_of(run.opponent or {})
    run, losses = ppo.update(run, 0, 0)
    assert all(np.isfinite(float(loss)) for loss in losses.values())
    against = int(run.tally.against.sum())
    assert (against == int(run.tally.ended.sum())) == (opponent.share == 1.0)
    assert (against == 0) == (opponent.share == 0.0)
    if opponent.kind == "league":
        assert all((weight == kept[name]).all() for name, weight in weights_of(run.opponent).items())
    else:
        assert run.opponent is None


def test_decisions_under_a_symmetry_agree() -> None:
    ppo = PPO(SOME)
    images, run = SymmetryImages.of(ppo.game, "all"), ppo.initialise()
    states = jax.vmap(ppo.env.step)(run.games.states, jnp.arange(8) % 9, jax.random.split(jax.random.key(0), 8))
    decide = make_decide(ppo.network, ppo.env, images, run.learner.variables, jnp.float32)
    played, decision = jax.jit(decide)(jax.random.key(1), states)
    turned = 0
    for place in range(8):
        state = jax.tree.map(lambda leaf, place=place: leaf[place], states)
        seen = np.asarray(decision.observation[place])
        plain = np.asarray(ppo.env.observe(state, state.current_role))
        assert bool(state.legal_action_mask[played[place]])
        images_of = [
            symmetry
            for symmetry in ppo.game.symmetries()
            if (image_of(symmetry, plain) == seen).all()
            and symmetry.actions[int(played[place])] == int(decision.action[place])
        ]
        assert images_of
        legal = np.zeros(9, bool)
        legal[images_of[0].actions[np.flatnonzero(state.legal_action_mask)]] = True
        assert (legal == np.asarray(decision.legal[place])).all()
        turned += bool((seen != plain).any())
    assert turned > 2


@pytest.mark.parametrize("kind", ["league", pytest.param("older", marks=pytest.mark.slow)])
def test_repeatedly_stopped_run_is_bit_identical(tmp_path: Path, kind: Any) -> None:
    config = settings.apply(PRESETS["draughts-tiny"], ["game=tictactoe", f"opponent.kind={kind}", "opponent.nets=1"])
    method = PPO(config)
    loop.train(method, tmp_path / "straight")
    calls = 0

    def every_fourth() -> bool:
        nonlocal calls
        calls += 1
        return calls % 4 == 0

    stops = 0
    method = PPO(config)
    while loop.train(method, tmp_path / "stopped", RunObserver(stopped=every_fourth)).iteration < config.iterations:
        stops += 1
    assert stops > 1
    assert checkpoint_arrays(tmp_path / "straight") == checkpoint_arrays(tmp_path / "stopped")
    one, other = (read_metrics(tmp_path / folder).scalars for folder in ("straight", "stopped"))
    for name in one:
        if not name.startswith(("speed/", "time/")):
            assert one[name].values.tolist() == other[name].values.tolist(), name
    assert {"loss/policy", "loss/value", "loss/entropy", "ppo/kl", "ppo/clip_share", "ppo/explained_variance"} <= {*one}
    assert one["evaluation/random"].iterations.tolist() == [2]
    file, _ = portable_state.read(tmp_path / "stopped" / portable_state.NAME)
    brought = checkpoint.name_leaves(portable_state.restore_into(file, method.initialise(), method.portable_fields))
    kept = checkpoint.restore(tmp_path / "stopped" / "checkpoints", jax.eval_shape(method.initialise))
    assert kept is not None
    for name, leaf in checkpoint.name_leaves(kept.tree).items():
        if name.startswith((".learner", ".opponent", ".episodes", ".followed")):
            digits = 2**-8 if ".optimiser" in name else 0
            np.testing.assert_allclose(brought[name], leaf, rtol=digits, err_msg=name)


def test_best_net_survives_moving_a_run(tmp_path: Path) -> None:
    config = settings.apply(
        PRESETS["draughts-tiny"],
        ["game=tictactoe", "iterations=8", "evaluation.every=1", "evaluation.games=100", "evaluation.keep=best"],
    )

    def best_and_scores(name: str) -> tuple[int, dict[int, float]]:
        measured = read_metrics(tmp_path / name).scalars["evaluation/random"]
        best = netfile.read(tmp_path / name / "nets" / league.BEST).training["iteration"]
        return best, dict(zip(measured.iterations.tolist(), measured.values.tolist(), strict=True))

    method = PPO(config)
    loop.train(method, tmp_path / "whole")
    best, scores = best_and_scores("whole")
    assert scores[best] == max(scores.values())
    highest = max(scores, key=lambda iteration: (scores[iteration], iteration))
    assert best == highest
    assert min(scores.values()) < scores[best]  # there was something to choose

    for brought in (True, False):  # whether its net comes along
        name = f"moved{brought}"
        packing.pack(tmp_path / "whole", tmp_path / "pack", nets=8)
        packing.unpack(tmp_path / "pack", tmp_path / name)
        missing = None if brought or highest == config.iterations else highest  # the last is never missing
        if missing is not None:
            league.path_of(tmp_path / name / "nets", missing).unlink()
        loop.train(method, tmp_path / name)
        there = [iteration for iteration in scores if iteration != missing]
        assert best_and_scores(name)[0] == max(there, key=lambda iteration: (scores[iteration], iteration))


def test_net_is_evaluated_at_the_given_temperature(tmp_path: Path) -> None:
    scores = []
    for temperature in (0, 1000):
        changes = [
            "iterations=1",
            "evaluation.every=1",
            "evaluation.games=200",
            f"evaluation.temperature={temperature}",
        ]
        config = settings.apply(PRESETS["draughts-tiny"], ["game=tictactoe", *changes])
        loop.train(PPO(config), tmp_path / str(temperature))
        scores.append(float(read_metrics(tmp_path / str(temperature)).scalars["evaluation/random"].values[-1]))
    assert scores[0] != scores[1]  # of the same net
    assert abs(scores[1] - 0.5) < 0.14  # as good as random, four standard deviations wide


def test_shaped_rewards_nets_are_saved_and_encoder_is_frozen(tmp_path: Path) -> None:
    tiny = dataclasses.replace(PRESETS["cathedral-tiny"], iterations=1, updates=1)
    there = game("cathedral", "paper", "paper")
    donor = PPO(tiny).initialise()
    weights = weights_of(donor.learner.variables)
    encoder = {name: weight + 1.0 for name, weight in weights.items() if name.startswith("params/encoder/")}
    assert tiny.plain is not None
    encoder_file.write(tmp_path / "an.vae", encoder, config=tiny.plain, game=there, training={})
    config = dataclasses.replace(tiny, encoder=str(tmp_path / "an.vae"), frozen=True)
    loop.train(PPO(config), tmp_path / "run")
    kept = netfile.read(tmp_path / "run" / "nets" / league.BEST, game=there)
    assert kept.training["method"] == "ppo"
    assert kept.config == tiny.plain
    first = league.load_net(league.path_of(tmp_path / "run" / "nets", 0), there)
    assert all((kept.weights[name] == weight).all() for name, weight in encoder.items())
    changed = weights_of(first)["params/policy/logits/kernel"] != kept.weights["params/policy/logits/kernel"]
    assert changed.any()
    with pytest.raises(RunError, match="holds a run with other settings"):
        loop.train(PPO(dataclasses.replace(config, seed=1)), tmp_path / "run")


def test_shaped_rewards_need_a_game_that_has_them() -> None:
    with pytest.raises(RunError, match="draughts has rewards at the end only"):
        PPO(dataclasses.replace(PRESETS["draughts-tiny"], rewards="shaped"))


@pytest.mark.parametrize("name", PRESETS)
def test_presets_can_be_written_down_and_built(name: str) -> None:
    config = PRESETS[name]
    assert name.startswith(f"{config.game}-")
    assert settings.from_json(PPOConfig, settings.to_json(config)) == config
    ppo = PPO(config, load_encoder=False)
    run: Any = jax.eval_shape(ppo.initialise)
    assert run.games.seat.shape == (config.rollout.games,)
    assert isinstance(ppo.network.config, NetConfig if name.endswith("-best") else PlainConfig)
