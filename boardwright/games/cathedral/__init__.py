"""Cathedral: polyomino buildings, walls and territory."""
