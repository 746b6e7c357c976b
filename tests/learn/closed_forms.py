"""Positions to learn from, and what their losses are in plain NumPy and the scalar engine. Not a test itself."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from images import image_of_action

import boardwright
from boardwright.games.base import Game, Position, Symmetry
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero.config import LearnerConfig
from boardwright.learn.alphazero.replay import Replay

SAMPLES, SLOTS, PLIES = 16, 40, 9
CONFIG = LearnerConfig(
    batch_size=SAMPLES,
    augment="all",
    root_value=0.3,
    l2=1e-3,
    value_weight=1.5,
    ownership_weight=0.4,
    margin_weight=0.7,
    plies_weight=0.6,
)


@dataclasses.dataclass(frozen=True)
class Case:
    """What is known of a sample."""

    position: Position
    end: Position  # some plies later, whose pieces are to be predicted
    policy: np.ndarray  # over the first slots of the legal actions
    value: float
    result: float
    known: bool
    plies: int
    margin: float


def random_line(game: Game, rng: np.random.Generator, plies: int) -> list[int]:
    while True:
        position = game.start()
        while position.outcome is None and len(position.actions()) < plies:
            position = position.play(int(rng.choice(position.legal_actions())))
        if position.outcome is None:
            return position.actions()


def random_cases(game: Game) -> list[Case]:
    rng = np.random.default_rng(8)
    cases = []
    for number in range(SAMPLES):
        line = random_line(game, rng, PLIES + 4)
        position = game.play_all(line[: PLIES - number % 2])  # of both roles
        count = min(position.count_actions(), SLOTS)
        policy = rng.dirichlet(np.full(count, 0.5)).astype(jnp.bfloat16).astype(np.float32)
        value, result, margin = rng.uniform(-1, 1), float(rng.integers(-1, 2)), rng.normal()
        known = number % 4 != 3
        cases.append(
            Case(position, game.play_all(line), policy, value, result, known, int(rng.integers(0, 200)), margin)
        )
    return cases


def as_samples(game: Game, cases: list[Case]) -> Replay:
    """As the replay would hold them; positions by way of the batched engine, so that they have their past."""
    env, learning = game.batch(), game.learning()
    lines = jnp.asarray([case.end.actions() for case in cases])

    def packed(line: Any) -> Any:
        def step(state: Any, action: Any) -> Any:
            after = env.step(state, action, jax.random.key(0))
            return after, (learning.pack(after), replay_buffer.pack_holders(learning.holders(after)))

        return jax.lax.scan(step, env.init(jax.random.key(0)), line)[1]

    words, holders = jax.jit(jax.vmap(packed))(lines)  # [N, plies, ...]

    def padded(numbers: Any, filler: int) -> np.ndarray:
        return np.pad(numbers[:SLOTS], (0, SLOTS - len(numbers[:SLOTS])), constant_values=filler)

    def of(name: str, dtype: Any = jnp.float32) -> Any:
        return jnp.asarray([getattr(case, name) for case in cases], dtype)

    count = len(cases)
    return Replay(
        words=jnp.stack([words[number, len(case.position.actions()) - 1] for number, case in enumerate(cases)]),
        actions=jnp.asarray(np.stack([padded(case.position.legal_actions(), -1) for case in cases]), jnp.int16),
        policy=jnp.asarray(np.stack([padded(case.policy, 0) for case in cases]), jnp.bfloat16),
        value=of("value"),
        result=of("result"),
        plies=of("plies", jnp.int16),
        margin=of("margin"),
        holders=holders[:, -1],
        surprise=jnp.zeros(count),
        serial=jnp.zeros(count, jnp.int32),
        status=jnp.where(of("known", bool), replay_buffer.KNOWN, replay_buffer.BOOTSTRAPPED).astype(jnp.int8),
        weight=jnp.full(count, replay_buffer.WEIGHT_ONE, jnp.int16),
    )


def image(game: Game, symmetry: Symmetry, position: Position) -> Position:
    """The same line of play under a symmetry."""
    mirrored = boardwright.game(game.name, symmetry.rules or game.rules).start()
    replayed = game.start()
    for action in position.actions():
        mirrored = mirrored.play(image_of_action(symmetry, replayed, action))
        replayed = replayed.play(action)
    return mirrored


def classes_of(end: Position, role: int) -> np.ndarray:
    """[cells] own 0, enemy 1, empty 2, as a role observes the end."""
    planes = end.observation(role)
    classes = np.full(planes.shape[:2], 2)
    for plane, name in enumerate(end.game.planes):
        words = name.split()
        if name == "king":
            classes[planes[..., plane] > 0] = 1 - role  # the defenders', role 1
        elif len(words) == 2 and words[1] in ("men", "kings", "buildings", "territory", "taflmen"):
            classes[planes[..., plane] > 0] = ("own", "enemy").index(words[0])
    return classes.reshape(-1)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def huber(error: float) -> float:
    return error**2 / 2 if abs(error) <= 1 else abs(error) - 0.5


def chances(value: float) -> np.ndarray:
    return np.array([max(value, 0), 1 - abs(value), max(-value, 0)])


def expected_losses(game: Game, cases: list[Case], symmetries: list[Symmetry], output: Any) -> dict[str, float]:
    """Of a net's output for the images of positions."""
    policy, value, auxiliary = [], [], {name: [] for name in ("ownership", "margin", "plies_left")}
    for number, (case, symmetry) in enumerate(zip(cases, symmetries, strict=True)):
        role, side = case.position.role_to_move, 1 - 2 * case.position.role_to_move
        seen = image(game, symmetry, case.position)
        assert seen.role_to_move == role
        actions = case.position.legal_actions()[:SLOTS]
        images = [image_of_action(symmetry, case.position, action) for action in actions]
        assert all(seen.core.is_legal(action) for action in images)
        logs = log_softmax(np.asarray(output.policy_logits[number], float)[images])
        policy.append(-sum(share * log for share, log in zip(case.policy, logs, strict=True)))
        if output.wdl_logits is None:
            target = side * (0.7 * case.result + 0.3 * case.value)
            value.append((float(output.value[number]) - target) ** 2)
        else:
            target = 0.7 * chances(side * case.result) + 0.3 * chances(side * case.value)
            value.append(-(target * log_softmax(np.asarray(output.wdl_logits[number], float))).sum())
        if case.known:
            classes = classes_of(image(game, symmetry, case.end), role)
            owned = log_softmax(np.asarray(output.auxiliary["ownership"][number], float).reshape(-1, 3))
            auxiliary["ownership"].append(-owned[np.arange(len(classes)), classes].mean())
            auxiliary["margin"].append(huber(float(output.auxiliary["margin"][number]) - side * case.margin))
            auxiliary["plies_left"].append(huber(float(output.auxiliary["plies"][number]) - case.plies / 100))
    weights = {"ownership": 0.4, "margin": 0.7, "plies_left": 0.6}
    return {
        "policy": float(np.mean(policy)),
        "value": 1.5 * float(np.mean(value)),
        **{name: weights[name] * float(np.mean(each)) for name, each in auxiliary.items()},
    }
