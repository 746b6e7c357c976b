"""How English draughts is played: text generated from the options of a rule set."""

from boardwright.games.base import Paragraph
from boardwright.games.draughts.rules import DraughtsRules


def how_to_play(rules: DraughtsRules) -> tuple[Paragraph, ...]:
    """The rules for beginners."""
    return (
        Paragraph(
            "Aim",
            "Leave the other side without a move: capture all its pieces, or block those it has. "
            "Each side begins with 12 men; only dark squares are used.",
        ),
        Paragraph(
            "Moves",
            "Black moves first, then the sides take turns. A man moves one step diagonally forward onto an empty "
            "square, a king one step diagonally in any direction. A man who reaches the far row becomes a king, and "
            "the move ends there, even in the middle of a capture.",
        ),
        Paragraph(
            "Captures",
            "A piece captures an enemy diagonally next to it by jumping over it onto the empty square behind: a man "
            "forward only, a king in any direction. If the same piece can then jump again it must, until it cannot. "
            "Capturing is forced, but of several captures you may choose any.",
        ),
        Paragraph("The end", _end(rules)),
    )


def _end(rules: DraughtsRules) -> str:
    sentences = ["A side that cannot move when it is its turn loses."]
    if rules.repetition_limit is None:
        sentences.append("Positions may be repeated.")
    else:
        times = f"{rules.repetition_limit} times"
        sentences.append(f"When a position, with the same side to move, has occurred {times}, the game is drawn.")
    limits = []
    if rules.max_quiet_plies is not None:
        quiet = "without a capture" if rules.man_moves_are_quiet else "without a capture or a move of a man"
        limits.append(f"{rules.max_quiet_plies} moves running {quiet}")
    if rules.max_plies is not None:
        limits.append(f"{rules.max_plies} moves in all")
    undecided = " or ".join(f"after {limit}" for limit in limits)
    sentences.append(f"A game that is undecided {undecided} is drawn; the moves of both sides count.")
    return " ".join(sentences)
