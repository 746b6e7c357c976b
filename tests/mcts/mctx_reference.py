"""mctx on the same games: every action of the action space, illegal ones masked at every node. Not a test itself."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mctx
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.mcts.tree import Evaluate


def run(policy: Callable[..., Any], key: Array, states: Any, env: BatchEnv, evaluate: Evaluate, **options: Any) -> Any:
    """What `mctx.gumbel_muzero_policy` or `mctx.muzero_policy` makes of the states."""

    def masked(states: Any) -> tuple[Array, Array]:
        logits, value = evaluate(states)
        illegal = ~states.legal_action_mask & ~states.terminated[:, None]
        return jnp.where(illegal, -jnp.inf, logits), value

    def recurrent(params: Any, key: Array, action: Array, before: Any) -> tuple[Any, Any]:
        after = jax.vmap(env.step, (0, 0, None))(before, action, key)
        logits, value = masked(after)
        mover = before.current_role
        won = jnp.where(after.result == mover, 1.0, jnp.where(after.result == 1 - mover, -1.0, 0.0))
        ended = after.terminated & ~before.terminated
        discount = jnp.where(after.current_role == mover, 1.0, -1.0)
        output = mctx.RecurrentFnOutput(
            reward=jnp.where(ended, won, 0.0),  # type: ignore[call-arg]
            discount=jnp.where(after.terminated, 0.0, discount),  # type: ignore[call-arg]
            prior_logits=logits,  # type: ignore[call-arg]
            value=jnp.where(after.terminated, 0.0, value),  # type: ignore[call-arg]
        )
        return output, after

    logits, value = masked(states)
    root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=states)  # type: ignore[call-arg]
    return policy(None, key, root, recurrent, invalid_actions=~states.legal_action_mask, **options)
