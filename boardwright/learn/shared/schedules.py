"""Learning rates over a run."""

import optax


def warmup_cosine(peak: float, final: float, warmup: int, total_steps: int) -> optax.Schedule:
    """Rises linearly to `peak` in `warmup` steps, then falls along a cosine to `final` after `total_steps`."""
    warmup = min(warmup, max(total_steps - 1, 0))
    return optax.warmup_cosine_decay_schedule(
        init_value=0.0 if warmup else peak,
        peak_value=peak,
        warmup_steps=warmup,
        decay_steps=max(total_steps, warmup + 1),
        end_value=min(final, peak),
    )
