"""Variational auto-encoders of boards."""
