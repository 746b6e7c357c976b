"""Nets: what they look like, the file they live in, and how they are evaluated with and without JAX."""
