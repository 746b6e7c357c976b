"""What every training run has: the loop, its folder, checkpoints, settings, metrics and progress."""
