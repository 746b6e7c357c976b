"""Stored games: the SQLite database, and import and export of game files."""
