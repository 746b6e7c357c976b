"""Text for terminals."""

from collections.abc import Iterable


def filled(words: Iterable[str], width: int = 100) -> list[str]:
    """Words in lines of at most so many characters, two blanks between them."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 2 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]}  {word}" if lines[-1] else word
    return lines
