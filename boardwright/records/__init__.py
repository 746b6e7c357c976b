"""Games kept: an SQLite store that survives, and game files in and out of it."""
