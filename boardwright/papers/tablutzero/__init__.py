"""TablutZero: published figures and targets, our runs, matches between them, and the page."""
