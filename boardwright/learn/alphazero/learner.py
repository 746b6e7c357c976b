"""The learner: samples of the replay, seen under a drawn symmetry, and a step of gradient descent on each batch.

The policy's target is that of the search, over the moves that were searched. The value's is the result of the game, or
a blend with the value of the search, corrected by endgame tables. Auxiliary heads learn what is on the board at the end
of the game, the margin, and the plies left. Loss terms are logged one by one.
"""

from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax.struct import PyTreeNode
from jax import Array
from optax.losses import huber_loss

from boardwright.games.base import ONGOING, Game, ProvenResults
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero.config import LearnerConfig
from boardwright.learn.alphazero.replay import Replay
from boardwright.learn.distributed.device import on_cpu
from boardwright.learn.shared.schedules import warmup_cosine
from boardwright.learn.shared.symmetry_images import SymmetryImages
from boardwright.mcts.nodes import side_of
from boardwright.mcts.split import split
from boardwright.nets.network import Network, Output, Variables

EMPTY = -1e9  # instead of the logit of a slot that holds no move
PLIES_SCALE = 100.0  # plies left are learned in hundreds
Losses = dict[str, Array]  # each term's mean, weighted as it enters "total"


class LearnerState(PyTreeNode):
    """What learning changes."""

    variables: Any  # params and batch_stats, float32
    averaged: Any  # running mean of the variables; the variables themselves where nothing is averaged
    optimiser: Any
    steps: Array  # int32: taken so far


class AlphaZeroLearner:
    """The learner of a net, its learning rate final after `total_steps`. Its methods are pure, for `jax.jit`.

    With `proven`, whose tables are then passed to its methods, values are corrected by endgame tables.
    """

    def __init__(
        self, config: LearnerConfig, game: Game, network: Network, total_steps: int, proven: ProvenResults | None = None
    ):
        self.config, self.network, self.proven = config, network, proven
        self.env, self.learning = game.batch(), game.learning()
        self.schedule = warmup_cosine(config.lr_peak, config.lr_final, config.warmup_steps, total_steps)
        self.optimiser = _optimiser(config, self.schedule)
        self.images = SymmetryImages.of(game, config.augment)

    def init(self, variables: Variables) -> LearnerState:
        """The state before the first step."""
        return LearnerState(variables, variables, self.optimiser.init(variables["params"]), jnp.int32(0))

    def losses(
        self, variables: Variables, samples: Replay, symmetry: Array, tables: Any = None
    ) -> tuple[Array, tuple[Losses, Any]]:
        """(total loss, (its terms, batch statistics)) of samples under symmetries [N]."""
        config, states = self.config, jax.vmap(self.learning.unpack)(samples.words)
        if self.proven is not None and config.tablebase_weight:
            known = jax.vmap(self.proven.result, (None, 0))(tables, states)
            samples = correct_by_tables(samples, known, config.tablebase_weight)
        role = states.current_role
        observation = jax.vmap(self.env.observe)(states, role)
        observation, actions = self.images.apply(symmetry, observation, samples.actions.astype(jnp.int32))
        output, statistics = self.network.apply_train(variables, observation, role)
        terms = {
            "policy": _policy_loss(output.policy_logits, actions, samples.policy),
            "value": config.value_weight * _value_loss(output, samples, side_of(role), config.root_value),
            **self._auxiliary_losses(output, samples, role, symmetry),
        }
        if config.l2:
            kernels = [leaf for leaf in jax.tree.leaves(variables["params"]) if leaf.ndim > 1]
            terms["l2"] = config.l2 * optax.tree.norm(kernels, squared=True)
        terms["total"] = sum(terms.values(), jnp.float32(0))
        return terms["total"], (terms, statistics)

    def learn(
        self, key: Array, state: LearnerState, replay: Replay, steps: int, tables: Any = None
    ) -> tuple[LearnerState, Losses]:
        """The state after a (static) number of steps, and the mean of every loss."""
        draw_key, symmetry_key = jax.random.split(key)
        shape = (steps, self.config.batch_size)
        places = replay_buffer.draw(draw_key, replay, steps * self.config.batch_size).reshape(shape)
        symmetries = jax.random.randint(symmetry_key, shape, 0, self.images.count)

        def body(state: LearnerState, drawn: tuple[Array, Array]) -> tuple[LearnerState, Losses]:
            return self._step(state, split(replay_buffer.take(replay, drawn[0])), split(drawn[1]), tables)

        state, terms = jax.lax.scan(body, state, (places, symmetries), unroll=steps if on_cpu() else 1)
        return state, {name: values.mean() for name, values in terms.items()}

    def _step(self, state: LearnerState, samples: Replay, symmetry: Array, tables: Any) -> tuple[LearnerState, Losses]:
        def loss(params: Any) -> tuple[Array, tuple[Losses, Any]]:
            return self.losses({**state.variables, "params": params}, samples, symmetry, tables)

        params = state.variables["params"]
        gradients, (terms, statistics) = jax.grad(loss, has_aux=True)(params)
        updates, optimiser = self.optimiser.update(gradients, state.optimiser, params)
        variables = {"params": optax.apply_updates(params, updates), "batch_stats": statistics}
        averaged = variables
        if self.config.ema_decay:
            decay = jnp.minimum(self.config.ema_decay, (1 + state.steps) / (10 + state.steps))
            averaged = jax.tree.map(lambda old, new: decay * old + (1 - decay) * new, state.averaged, variables)
        return LearnerState(variables, averaged, optimiser, state.steps + 1), terms

    def _auxiliary_losses(self, output: Output, samples: Replay, role: Array, symmetry: Array) -> Losses:
        """Losses of the net's auxiliary heads, over samples whose game was played to its end."""
        known, config, views = samples.known.astype(jnp.float32), self.config, self.learning.views
        share = known / jnp.maximum(known.sum(), 1.0)
        found, terms = output.auxiliary, {}
        if "ownership" in found:
            held = jax.vmap(lambda words: replay_buffer.unpack_holders(words, views.shape[1]))(samples.holders)
            held = jnp.take_along_axis(held, jnp.asarray(views)[role.astype(jnp.int32)], axis=1)
            held = self.images.apply_to_cells(symmetry, held)
            classes = jnp.where(held == 0, 2, jnp.where(held == role[:, None] + 1, 0, 1))  # own, enemy, empty
            logs = jax.nn.log_softmax(found["ownership"].reshape(*held.shape, 3))
            each = -jnp.take_along_axis(logs, classes[..., None], axis=2)[..., 0].mean(axis=1)
            terms["ownership"] = config.ownership_weight * (share * each).sum()
        if "margin" in found:
            each = huber_loss(found["margin"] - samples.margin * side_of(role))
            terms["margin"] = config.margin_weight * (share * each).sum()
        if "plies" in found:
            each = huber_loss(found["plies"] - samples.plies / PLIES_SCALE)
            terms["plies_left"] = config.plies_weight * (share * each).sum()
        return terms


def _optimiser(config: LearnerConfig, schedule: optax.Schedule) -> optax.GradientTransformation:
    clip = optax.clip_by_global_norm(config.gradient_clip) if config.gradient_clip else optax.identity()
    if config.optimiser == "adam":
        return optax.chain(clip, optax.adam(schedule))
    return optax.chain(
        clip,
        optax.adamw(
            schedule,
            weight_decay=config.weight_decay,
            mask=lambda params: jax.tree.map(lambda leaf: leaf.ndim > 1, params),
        ),
    )


def correct_by_tables(samples: Replay, known: Array, share: float) -> Replay:
    """Samples whose results and values are blended with endgame-table results [N] where these are known."""
    truth = jnp.where(known == 0, 1.0, jnp.where(known == 1, -1.0, 0.0))
    shares = jnp.where(known == ONGOING, 0.0, share)
    result, value = ((1 - shares) * target + shares * truth for target in (samples.result, samples.value))
    return samples.replace(result=result, value=value)


def _policy_loss(logits: Array, actions: Array, policy: Array) -> Array:
    """Cross-entropy of the net's policy with the search's, over the moves that were searched."""
    chosen = jnp.take_along_axis(logits, jnp.maximum(actions, 0), axis=1)
    logs = jax.nn.log_softmax(jnp.where(actions >= 0, chosen, EMPTY))
    return -jnp.where(actions >= 0, policy.astype(jnp.float32) * logs, 0.0).sum(axis=1).mean()


def _value_loss(output: Output, samples: Replay, side: Array, root_value: float) -> Array:
    """Squared error, or cross-entropy for a net with a win-draw-loss head."""
    target = side * ((1 - root_value) * samples.result + root_value * samples.value)
    if output.wdl_logits is None:
        return jnp.square(output.value - target).mean()
    result, found = side * samples.result, side * samples.value
    chances = (1 - root_value) * as_chances(result) + root_value * as_chances(found)
    return -(chances * jax.nn.log_softmax(output.wdl_logits)).sum(axis=1).mean()


def as_chances(value: Array) -> Array:
    """[..., 3] probabilities of win, draw and loss with this expected result [...]: those with the most draws."""
    win, loss = jnp.maximum(value, 0.0), jnp.maximum(-value, 0.0)
    return jnp.stack([win, 1 - win - loss, loss], axis=-1)
