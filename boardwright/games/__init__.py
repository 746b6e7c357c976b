"""Rules of play: what a game is (`base`), which there are (`registry`), and one folder for each."""
