"""Counters in position texts: read strictly, and bounded, since anybody may write them."""

MOST = 999_999


def parse_counter(text: str) -> int | None:
    """A whole number from 0 to MOST in plain digits, or None for anything else."""
    if len(text) > len(str(MOST)) or not (text.isascii() and text.isdigit()):
        return None
    return int(text)
