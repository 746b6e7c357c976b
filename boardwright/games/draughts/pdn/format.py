"""What PDN files have of their own among files with tags: game type, tags, results, moves and marks."""

import re

from boardwright.games import tagfile
from boardwright.games.base import DRAW, ONGOING
from boardwright.games.draughts import board as b
from boardwright.games.tagfile import Results, TagFile, Token

GAME_TYPE = "21,B,8,8,N1,0"
UNKNOWN_DATE = "????.??.??"  # other tags have a plain ?
BOTH_FORFEIT = 4  # a result only PDN knows
RESULTS = Results(
    {
        "1-0": b.BLACK,
        "0-1": b.WHITE,
        "1/2-1/2": DRAW,
        "*": ONGOING,
        "0-0": BOTH_FORFEIT,
        "2-0": b.BLACK,
        "0-2": b.WHITE,
        "1-1": DRAW,  # read, but not written
    },
    ("black won", "white won", "it was a draw", "it is unfinished", "both sides forfeited"),
)
MARK = re.compile(r"\$[0-9]{1,3}|[!?]+|\([!?]+\)")

PDN = TagFile(
    roster=("event", "site", "date", "round", "black", "white"),
    from_record=("result", "gametype", "rules", "ruleoptions", "setup", "fen", "termination", "resigned"),
    spelling={
        "annotator": "Annotator",
        "gametype": "GameType",
        "ruleoptions": "RuleOptions",
        "setup": "SetUp",
        "fen": "FEN",
    },
    moves=(
        r"(?P<MOVE>[0-9]{1,2}+(?:\s*+[-:xX]\s*+[0-9]{1,2}+)++(?![0-9]))"
        rf"|(?P<MARK>{MARK.pattern})|(?P<OPEN>\()|(?P<CLOSE>\))"
    ),
)


def complaint(token: Token) -> str:
    """What is wrong with a token that is no PDN."""
    if token.text[0] == "/":
        return "positions set up in the middle of a game (/FEN .../) cannot be read"
    return tagfile.complaint(token, expected="a move")
