"""English draughts (checkers): forced captures, men forward only, short kings."""
