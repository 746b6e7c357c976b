"""Batched tree search on the device: thousands of games at once, in plain JAX."""
