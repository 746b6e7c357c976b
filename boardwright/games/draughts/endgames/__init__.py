"""Endgame tables of draughts, and a measure of how well players win proven endings."""
