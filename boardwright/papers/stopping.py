"""How work on a paper ends before it is done."""


class StoppedError(Exception):
    """Somebody asked to stop; what is done is kept, and the same command goes on."""
