"""Other libraries' interfaces: every game as a PettingZoo or a Pgx environment.

`boardwright.adapters.pettingzoo` needs PettingZoo; `boardwright.adapters.pgx` needs JAX, but not Pgx.
"""
