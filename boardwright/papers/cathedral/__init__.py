"""Learning to play a 2-player adversarial game: Cathedral: published figures, our runs and the page."""
