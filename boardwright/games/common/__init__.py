"""Code that several games are built with: hash keys, symmetries of a square, game files with tags."""
