"""Positions, analyses and game files for the board of a page."""
