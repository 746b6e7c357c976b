"""Endgame tables of draughts, and how well players win endings that are proven."""
