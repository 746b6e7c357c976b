"""DraughtsZero: our runs of the paper's method, and the page."""
