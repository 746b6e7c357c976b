"""Evaluation networks for alpha-beta, learned from its own games."""
