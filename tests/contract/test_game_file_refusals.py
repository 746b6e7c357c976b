"""Refused game files of every game: the message names the place and the fault."""

import pytest
from game_files import GameFileChecks

from boardwright.games.cathedral import gamefile as cathedral
from boardwright.games.draughts import gamefile as draughts
from boardwright.games.tablut.opentafl import gamefile as tablut
from boardwright.games.tablut.rules import START

CHECKS = {
    "cathedral": GameFileChecks(cathedral),
    "draughts": GameFileChecks(draughts),
    "tablut": GameFileChecks(tablut),
}
TABLUT_RULES = f"[rules:dim:9 surf:n tfr:l ks:w start:{START}]"
HEADERS = {  # two lines, so that the moves begin on line 3
    "cathedral": '[Event "x"]\n\n',
    "draughts": '[Event "x"]\n\n',
    "tablut": f"[event:x]\n{TABLUT_RULES}\n",
}
LATE_TAGS = '[Rules "paper-6"]\n[Position "a1GGGb/CCcggg/HHceFF/HHeeFE/DDjjEE/1jjdd1 l 2,2 l 30"]\n'
LATE_MOVES = "1. light tavern2 a1\n2. light tavern b6\n3. dark tavern f1\n"

# Moves, the place of the error, and a part of its message.
MOVES = {
    "cathedral": [
        ("1. light cathedral e10", "line 3, column 4", "move 'cathedral e10': the cathedral would leave the board"),
        ("1. light castle e5", "line 3, column 4", "move castle e5: the cathedral is placed first"),
        ("1. light cathedral e5\n  2. dark tavern e5", "line 4, column 6", "tavern e5: overlaps the cathedral on e5"),
        ("1. light cathedral e5\n2. light castle b3", "line 4, column 4", "is made by light, but dark is to move"),
        ("1. chance light", "line 3, column 4", "move 1 is made by chance, but light is to move"),
        ("1. cathedral e5", "line 3, column 4", "expected light, dark or chance before the move, not 'cathedral'"),
        ("1. light", "line 3, column 4", "move '': expected a form like castle b3 r90"),
        ("1. light cathedral e5 dark castle b3", "line 3, column 4", "expected a form like castle b3 r90"),
        ("1. light cathedral\n e5", "line 3, column 4", "move 'cathedral': expected a form like"),
        ("2. light cathedral e5", "line 3, column 1", "expected move number 1, not '2.'"),
        ("1. light cathedral e5\n1. dark castle b3", "line 4, column 1", "expected move number 2, not '1.'"),
        ("... light cathedral e5", "line 3, column 1", "expected move number 1, not '...'"),
        ("1. light cathedral e5!", "line 3, column 4", "expected a form like castle b3 r90"),
        ("1. light cathedral e5 !", "line 3, column 23", "a comment or a result, not '!'"),
        ("1. light cathedral e5 (dark", "line 3, column 23", "a comment or a result, not '('"),
        ("11-15", "line 3, column 1", "expected a move like 'dark castle b3 r90', a comment or a result, not '11-15'"),
        ("1. light cathedral e5 }", "line 3, column 23", "a comment or a result, not '}'"),
        ("1. light cathedral e5 {open", "line 3, column 23", "this comment is never closed"),
        ("1. light cathedral e5 [x]", "line 3, column 23", "expected a tag like"),
        ("1. light cathedral e5\n2-0", "line 4, column 1", "result '2-0' is not one of 1-0, 0-1, 1/2-1/2, *"),
        ("1. light cathedral e5 1-0 0-1", "line 3, column 27", "result 0-1 contradicts the earlier result 1-0"),
        ("light " + "x" * 1000, "line 3, column 1", "..."),
        ("light \x1b[2J e5", "line 3, column 1", "expected a form like"),
    ],
    "draughts": [
        ("1. 11-14", "line 3, column 4", "move '11-14': the piece on 11 can only play 11-15, 11-16"),
        ("1. 11-15\n  22-18 15-19", "line 4, column 9", "the piece on 15 can only play 15x22"),
        ("1. 11-15 22-18\n2. 8-11", "line 4, column 4", "a capture is forced: 15x22"),
        ("1. 11-155", "line 3, column 4", "expected a move, a comment or a result, not '11-155'"),
        ("1. b6-a5", "line 3, column 4", "expected a move"),
        ("1. 11 15", "line 3, column 4", "expected a move, a comment or a result, not '11'"),
        ("1. 11-", "line 3, column 4", "expected a move"),
        ("1. 11-15 ]", "line 3, column 10", "expected a move, a comment or a result, not ']'"),
        ("1. 11-15 }", "line 3, column 10", "expected a move"),
        ("1. 11-15 [x]", "line 3, column 10", "expected a tag like [Event \"Club evening\"], not '[x]'"),
        ("1. 11-15 /FEN \"B:W18:B14\"/", "line 3, column 10", "positions set up in the middle of a game"),
        ("1. 11-15 {open", "line 3, column 10", "this comment is never closed"),
        ("1. 11-15 (1. 11-16", "line 3, column 10", "this variation is never closed"),
        ("1. 11-15 (1. 11-16 (1. 9-13)", "line 3, column 10", "this variation is never closed"),
        ("1. 11-15 (1. 11-16 (1. 9-13", "line 3, column 20", "this variation is never closed"),
        ("(1. 11-16) 11-15", "line 3, column 1", "a variation must follow the move that it replaces"),
        ("1. 11-15 ((11-16))", "line 3, column 11", "a variation must follow the move that it replaces"),
        ("1. 11-15 )", "line 3, column 10", "there is no variation to close here"),
        ("1. 11-15 (1. 11-14) 23-19", "line 3, column 14", "move '11-14': "),
        ("1. 11-15 (1... 23-19)", "line 3, column 16", "no piece of the side to move can leave square 23"),
        ("1. " + "11-15-" * 200 + "1", "line 3, column 4", "..."),
        ("1. 11-15\x1b[2J", "line 3, column 9", "expected a move"),
        ("1. 11-15 1/2", "line 3, column 10", "not '1/2'"),
    ],
    "tablut": [
        ("1. e2-e4", "line 3, column 4", "move e2-e4: pieces cannot jump, and e3 is occupied"),
        ("1. e2-g2\n   e2-e1", "line 4, column 4", "there is no piece on e2"),
        ("1. e3-d3", "line 3, column 4", "the attackers move now"),
        ("1. e2-z2", "line 3, column 4", "expected a form like e2-g2"),
        ("1. e2-g3", "line 3, column 4", "along rows and columns"),
        ("1. e2-g2xe3 e3-h3", "line 3, column 4", "the captures are wrong, write e2-g2"),
        ("1. ne2-g2", "line 3, column 4", "no knights or commanders"),
        ("1. e2^g2", "line 3, column 4", "no jumps"),
        ("1. e2=g2", "line 3, column 4", "no berserk moves"),
        ("1. e2-g2++ e3-h3", "line 3, column 4", "++ says that it wins"),
        ("1. e2-g2--", "line 3, column 4", "-- says that it wins"),
        ("1. e2-g2 e3-h3 i4-h4", "line 3, column 16", "turn 1 has more than two moves"),
        ("1. e2-g2\n2. e3-h3", "line 4, column 1", "turn 1 must have two moves"),
        ("1. e2-g2 e3-h3\n3. i4-h4", "line 4, column 1", "turn 3 follows turn 1"),
        ("1. e2-g2 ---\n2. i4-h4", "line 4, column 4", "'i4-h4' follows a resignation"),
        ("1. e2-g2 [open", "line 3, column 10", "this bracket is never closed"),
        ("e2-g2 e3-h3", "line 3, column 1", "expected a tag, a rules record or a turn number"),
        ("1. " + "e2-g2" * 1000, "line 3, column 4", "..."),
        ("1. e2-g2\x1b[2J", "line 3, column 4", "expected a form like"),
    ],
}  # fmt: skip
# Whole files, and a part of the message.
FILES = {
    "cathedral": [
        ('[Rules "papr"]\n*', "line 1, column 1: unknown rule set of cathedral 'papr': did you mean 'paper'?"),
        ('[RuleOptions "sise=8"]\n*', "line 1, column 1: unknown rule option 'sise': did you mean 'size'?"),
        ('[RuleOptions "size=5"]\n*', "line 1, column 1: rule set 'custom': size must be from 6 to 10, not 5"),
        ('[RuleOptions "size"]\n*', "line 1, column 1: rule option 'size': expected a whole number, not ''"),
        ('[RuleOptions "first=dark"]\n*', "line 1, column 1: rule option 'first': 'dark' is not one of light, coin"),
        ('[Rules "x"]\n[RuleOptions "first_building_claims=true"]\n*', "line 2, column 1: rule set 'x': first"),
        ('[RuleOptions "base=paper"]\n*', "line 1, column 1: rule option 'base' is not allowed here: a game file"),
        ('[RuleOptions "name=x"]\n*', "line 1, column 1: rule option 'name' is not allowed here: the name"),
        ('[RuleOptions "size=6 size=7"]\n*', "line 1, column 1: rule option 'size' is given twice"),
        ('[RuleOptions "size=6 first=coin size=6"]\n*', "line 1, column 1: rule option 'size' is given twice"),
        ('[Position "nonsense"]\n*', "line 1, column 1: position 'nonsense': expected 'BOARD"),
        ('[Event "x"]\n[Result "light"]\n*', "line 2, column 1: result 'light' is not one of 1-0, 0-1, 1/2-1/2, *"),
        ('[Event "x"]\n[EVENT "y"]\n*', "line 2, column 1: the game has a second tag 'event'"),
        ('[Result "1-0"]\nlight cathedral e5\n0-1', "line 3, column 1: result 0-1 contradicts the earlier result 1-0"),
        ('[Resigned "red"]\n*', "line 1, column 1: [Resigned] must be one of light, dark, not 'red'"),
        ('[Resigned "light"]\nlight cathedral e5\n1-0', "line 3, column 1: result 1-0 says that light won, but dark"),
        (f'{LATE_TAGS}[Resigned "light"]\n{LATE_MOVES}', "line 3, column 1: a resignation, but the game is over"),
        (f"{LATE_TAGS}{LATE_MOVES}0-1", "line 6, column 1: result 0-1 says that dark won, but light won: fewer"),
        (f"{LATE_TAGS}{LATE_MOVES}1/2-1/2", "line 6, column 1: result 1/2-1/2 says that it was a draw, but light won"),
        (f'[Result "0-1"]\n{LATE_TAGS}{LATE_MOVES}', "line 1, column 1: result 0-1 says that dark won, but light won"),
        (f"{LATE_TAGS}{LATE_MOVES}4. light tavern a6", "line 6, column 4: move 4, but the game is over: fewer squares"),
        (f"{LATE_TAGS}1. light tavern2 a1\n2. dark tavern f1", "line 4, column 4: move 2 is made by dark, but light"),
        ("[Event 'x']\n*", "line 1, column 1: expected a tag like"),
        ('[Event "x"\n*', "line 1, column 1: expected a tag like"),
    ],
    "draughts": [
        ('[Result "1-0"]\n[Result "0-1"]', "line 2, column 1: the game has a second tag 'result'"),
        ('[FEN "B:W18:B14"]\n[FEN "B:W17:B14"]', "line 2, column 1: the game has a second tag 'fen'"),
        ('[Rules "papr"]', "line 1, column 1: unknown rule set of draughts 'papr': did you mean 'paper'?"),
        ('[Rules "x"]\n[RuleOptions "max_plis=3"]', "line 2, column 1: unknown rule option 'max_plis': did you mean"),
        ('[RuleOptions "max_plies=3 max_plies=4"]', "line 1, column 1: rule option 'max_plies' is given twice"),
        ('[RuleOptions "max_plies=3 max_plies=3"]', "line 1, column 1: rule option 'max_plies' is given twice"),
        ('[Rules "x"]\n[RuleOptions "name=y"]', "line 2, column 1: rule option 'name' is not allowed here: the name"),
        ('[RuleOptions "base=paper"]', "line 1, column 1: rule option 'base' is not allowed here: a game file lists"),
        ('[RuleOptions "max_plies=0"]', "line 1, column 1: rule set 'custom': max_plies must be from 1"),
        ('[RuleOptions "max_plies=many"]', "line 1, column 1: rule option 'max_plies': expected a whole number"),
        ('[RuleOptions "max_plies"]', "line 1, column 1: rule option 'max_plies': expected a whole number"),
        ('[RuleOptions "max_plies=9999999999"]', "line 1, column 1: rule option 'max_plies': expected a whole number"),
        ('[RuleOptions "man_moves_are_quiet=1"]', "rule option 'man_moves_are_quiet': expected true or false"),
        ('[Resigned "Red"]', "line 1, column 1: [Resigned] must be one of black, white, not 'Red'"),
        ('[Resigned "White"]\n[Result "0-1"]', "line 2, column 1: result 0-1 says that white won, but black won"),
        ('[FEN "B:W18:B"]\n[Resigned "White"]', "line 2, column 1: a resignation, but the game is over: no legal move"),
        ("[Event 'x']", "line 1, column 1: expected a tag like"),
        ('[Event "x"', "line 1, column 1: expected a tag like"),
        ('[Ev ent "x"]', "line 1, column 1: expected a tag like"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("format_of", "moves", "place", "complaint"), [(game, *case) for game, cases in MOVES.items() for case in cases]
)
def test_refused_move_names_its_place(format_of: str, moves: str, place: str, complaint: str) -> None:
    CHECKS[format_of].is_refused_at(f"{HEADERS[format_of]}{moves}\n", place, complaint)


@pytest.mark.parametrize(
    ("format_of", "text", "complaint"), [(game, *case) for game, cases in FILES.items() for case in cases]
)
def test_refused_file_names_its_error(format_of: str, text: str, complaint: str) -> None:
    message = CHECKS[format_of].error_of(f"{text}\n\n*\n" if format_of == "draughts" else text)
    assert complaint in message, message
