"""Other libraries' interfaces: every game as a PettingZoo, Gymnasium, OpenSpiel or Pgx environment.

Each module needs the library it is named after, but for `pgx`, which needs JAX and not Pgx.
"""
