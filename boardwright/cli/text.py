"""Text for terminals."""

from collections.abc import Iterable


def printable(text: str) -> str:
    """A name from a file as it may be printed: what would steer the terminal becomes a question mark."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def filled(words: Iterable[str], width: int = 100) -> list[str]:
    """Words in lines of at most so many characters, two blanks between them."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 2 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]}  {word}" if lines[-1] else word
    return lines
