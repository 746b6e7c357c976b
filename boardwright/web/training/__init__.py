"""Training runs: their progress, metrics and sample games, over HTTP."""
