"""Commands of the command line that only draughts has; `boardwright.games.draughts` lists them."""
