"""How Tablut is played: text generated from the options of a rule set."""

import numpy as np

from boardwright.games.base import Paragraph
from boardwright.games.tablut import board as b
from boardwright.games.tablut.rules import TablutRules

GOAL = {"corner": "a corner", "edge": "a square of the edge"}
THRONE = {  # by who may stop on it, and who may pass over it
    ("none", "none"): "Once the throne, the square in the middle, is empty, no piece may stop on it or pass over it.",
    (
        "none",
        "king",
    ): "No piece may stop on the empty throne, the square in the middle; only the king may pass over it.",
    ("none", "all"): "No piece may stop on the empty throne, the square in the middle; any piece may pass over it.",
    ("king", "king"): "Only the king may stop on the throne, the square in the middle, or pass over it.",
    ("king", "all"): "Only the king may stop on the throne, the square in the middle; "
    "while it is empty any piece may pass over it.",
    ("all", "all"): "Any piece may stop on the throne, the square in the middle, or pass over it while it is empty.",
}
AGAINST = {"all": "men of both sides", "attackers": "attackers", "defenders": "defenders"}


def how_to_play(rules: TablutRules) -> tuple[Paragraph, ...]:
    """The rules for beginners."""
    return (
        Paragraph("Aim", _aim(rules)),
        Paragraph("Moves", _moves(rules)),
        Paragraph("Captures", _captures(rules)),
        Paragraph("The king", _king(rules)),
        Paragraph("The end", _end(rules)),
    )


def _aim(rules: TablutRules) -> str:
    board = b.parse_board(rules.start)
    attackers, defenders = (int(np.count_nonzero(board == man)) for man in (b.ATTACKER, b.DEFENDER))
    return (
        f"On nine by nine squares {attackers} attackers, dark, face {defenders} defenders, light, and their king. "
        f"The attackers win when they capture the king, the defenders when he stands on {GOAL[rules.escape]}."
    )


def _moves(rules: TablutRules) -> str:
    sentences = [
        f"The {rules.first} move first, then the sides take turns.",
        "All pieces, the king too, move like rooks in chess: along a row or a column, over empty squares only.",
        "Only the king may stop on a corner." if rules.corners_restricted else "Any piece may stop on a corner.",
        THRONE[rules.throne_stop, rules.throne_pass],
    ]
    if rules.camps:
        named = "; ".join(" ".join(camp) for camp in rules.camps)
        sentences.append(
            f"Attackers may move within the camp they begin in and leave it; no other piece may enter a camp or "
            f"pass through it. The camps are {named}."
        )
    return " ".join(sentences)


def _captures(rules: TablutRules) -> str:
    sentences = [
        "A man is captured when an enemy moves next to him and another is on the opposite side, in row or column.",
        "To move in between two enemies is safe. One move may capture several men.",
        "The king captures as his men do." if rules.king_armed else "The king takes no part in capturing.",
    ]
    places = _hostile(rules)
    for side, whom in AGAINST.items():
        named = [place for place, hostile_to in places if hostile_to == side]
        if named:
            here = " or ".join(named)
            sentences.append(f"{here[0].upper()}{here[1:]} counts as the other enemy, against {whom}.")
    if rules.throne_hostile_under_king:
        sentences.append("So does the throne with the king on it, but against his own defenders only.")
    if all(side == "none" for _, side in places):
        sentences.append("No empty square takes part in captures.")
    return " ".join(sentences)


def _hostile(rules: TablutRules) -> list[tuple[str, str]]:
    """The squares that may help to capture, and whom."""
    return [
        ("an empty corner", rules.corners_hostile_to),
        ("the empty throne", rules.throne_hostile_to),
        ("an empty square of a camp", rules.camps_hostile_to),
    ]


def _king(rules: TablutRules) -> str:
    if rules.king_capture == "weak":
        return "The king is captured just as his men are."
    # A corner has no neighbour on whom four could close in.
    helping = [place for place, side in _hostile(rules)[1:] if side in ("all", "defenders")]
    counts = f", {' or '.join(helping)} counting as one" if helping else ""
    four = f"when an attacker moves next to him and attackers then hold all four squares around him{counts}"
    if rules.king_capture == "strong":
        return f"The king is captured only {four}; so he is safe on the edge."
    centre = "On the throne and the four squares next to it"
    return f"{centre} the king is captured only {four}. Elsewhere he is captured just as his men are."


def _end(rules: TablutRules) -> str:
    sentences = [
        "A side that cannot move when it is its turn loses."
        if rules.no_move == "mover-loses"
        else "A side that could not move if it were its turn loses at once, after any move. If neither could, the "
        f"defenders lose, and they do so even if their king has just reached {GOAL[rules.escape]}."
    ]
    if rules.surround_loses:
        sentences.append("Defenders lose when attackers enclose them all, so that none has an open way to the edge.")
    if rules.repetition == "none":
        sentences.append("Positions may be repeated.")
    else:
        then = "the game is drawn" if rules.repetition == "draw" else "the player who has just made it so loses"
        first = "" if rules.count_start else " (not counting the beginning)"
        times = f"{rules.repetition_limit} times{first}"
        sentences.append(f"When a position, with the same side to move, has occurred {times}, {then}.")
    limits = []
    if rules.max_quiet_plies is not None:
        limits.append(f"{rules.max_quiet_plies} moves running without a capture")
    if rules.max_plies is not None:
        limits.append(f"{rules.max_plies} moves in all")
    undecided = " or ".join(f"after {limit}" for limit in limits)
    sentences.append(f"A game that is undecided {undecided} is drawn; the moves of both sides count.")
    return " ".join(sentences)
