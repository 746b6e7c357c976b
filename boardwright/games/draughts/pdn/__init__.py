"""Portable Draughts Notation: game files, read and written."""
