"""Players: everything that chooses moves, behind one protocol, named by spec strings."""
