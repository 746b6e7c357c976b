"""Players that clients may choose: the catalogue, their specs, and the worker processes that search."""
