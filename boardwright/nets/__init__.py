"""Nets: architectures, net files, and evaluation with and without JAX."""
