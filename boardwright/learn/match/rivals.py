"""Players of thousands of games at once that do not search: at random, or what a net says at first sight.

A policy is a function of a key and states. That of a net is a `Partial`, with the net's weights as leaves, so that a
program that was compiled for one net plays the next one too; it is compiled anew for every new function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.tree_util import Partial

from boardwright.games.batched import random_action
from boardwright.nets.network import Variables
from boardwright.search.tree import Evaluate

# key, states of B games -> legal actions [B]; what is said of games that are over is not used
Policy = Callable[[Array, Any], Array]


def at_random(key: Array, states: Any) -> Array:
    """Each legal action is as likely as the next."""
    keys = jax.random.split(key, states.terminated.shape[0])
    return jax.vmap(random_action)(keys, states.legal_action_mask)


def by_net(evaluator: Callable[[Variables], Evaluate], temperature: float) -> Callable[[Variables], Policy]:
    """Folded variables -> the policy of a net: drawn from e^(logit / temperature), at 0
    the highest, the first among equals.

    Likewise for Q-values, dueling ones included: they differ from the logits by a number that all actions share.
    """

    def choose(folded: Variables, key: Array, states: Any) -> Array:
        logits, _ = evaluator(folded)(states)
        legal = jnp.where(states.legal_action_mask, logits, -jnp.inf)
        if temperature == 0:
            return jnp.argmax(legal, axis=-1).astype(jnp.int32)
        return jax.random.categorical(key, legal / temperature, axis=-1).astype(jnp.int32)

    return lambda folded: Partial(choose, folded)
