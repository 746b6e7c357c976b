"""Games between nets on the device: evaluation, gating, head-to-head, balance, games against random."""
