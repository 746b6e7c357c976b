"""Nets as judges of actions: Q(s, a), the return that is expected from the side of the role to move."""

from __future__ import annotations

from jax import Array

from boardwright.nets.output import Output


def q_values(output: Output, legal_mask: Array, dueling: bool) -> Array:
    """[B, num_actions] float32, of illegal actions too, from what a net says of positions with these legal actions.

    Without a value head the policy's outputs are the Q-values. With one (dueling) they are advantages: the value,
    and by how much an action is better than the legal ones [B, num_actions] are on average.
    """
    if not dueling:
        return output.policy_logits
    legal = legal_mask.astype(output.policy_logits.dtype)
    count = legal.sum(axis=-1, keepdims=True).clip(min=1)  # a game that is over has none
    mean = (output.policy_logits * legal).sum(axis=-1, keepdims=True) / count
    return output.value[:, None] + output.policy_logits - mean
