"""PDN as collections hold it: what is understood, and where games part."""

import re

import pytest
from pdn_games import BLACK, BLACK_WINS, WHITE, WHITE_WINS, actions_of, comes_back, error_of, moves_of, one, played

import boardwright
from boardwright.games.base import DRAW, ONGOING
from boardwright.games.draughts import gamefile
from boardwright.games.draughts.rules import WCDF
from boardwright.games.gamefile import decode
from boardwright.games.record import GameRecord

FOREIGN = """\ufeff% written by hand
; an old collection
[Event "Ohio "State" Ty \\"46\\""]\r
[ Black  "Tinsley, M." ]
[White "Rex"] [Result "1/2-1/2"]
[Annotator "C:\\games"]
[EVENT "a second event"]
[FEN ""] [Date "????.??.??"] [Round "?"]
[GameType "21"]
1.11-15 {the
   best   move} 23-18! 2. 8 - 11
27-23 $3 (?) ; why
( 2... 26-23 { or } 3.4-8 (3. 9-14 18x9 5x14 1/2-1/2) 3... 30-26) {indeed}
% 2... 99-99
3... 4-8 4. ... 23:19
10x14 19x10 14-23 06. 26X19 7x
14 1-1
{after all}
"""


def test_collections_are_read_completely() -> None:
    record = one(FOREIGN)
    assert moves_of(record) == [
        *("11-15", "23-18", "8-11", "27-23", "4-8", "23-19"),
        *("10-14", "19x10", "14x23", "26x19", "7x14"),
    ]
    assert record.tags == {
        "event": 'Ohio "State" Ty "46"; a second event',
        "black": "Tinsley, M.",
        "white": "Rex",
        "annotator": "C:\\games",
    }
    assert (record.rules, record.start, record.result, record.reason) == (WCDF, None, DRAW, "")
    assert record.comments == {0: "an old collection", 1: "the best   move", 4: "why\nindeed", 11: "after all"}
    assert record.marks == {2: ("!",), 4: ("$3", "(?)")}
    ((variation,),) = record.variations.values()
    assert list(record.variations) == [3]
    assert variation.actions == actions_of("11-15 23-18 8-11 26-23 4-8 30-26")[3:]
    assert variation.comments == {1: "or"}
    ((inner,),) = variation.variations.values()
    assert list(variation.variations) == [1]
    assert inner.actions == actions_of("11-15 23-18 8-11 26-23 9-14 18x9 5x14")[4:]
    assert inner.comments == {3: "1/2-1/2"}
    comes_back(record)


@pytest.mark.parametrize(
    ("text", "result"),
    [("1-0", BLACK), ("0-1", WHITE), ("1/2-1/2", DRAW), ("2-0", BLACK), ("0-2", WHITE), ("1-1", DRAW), ("*", ONGOING)],
)
def test_result_is_read_from_the_tag_or_the_moves(text: str, result: int) -> None:
    for game in (f"1. 11-15 {text}", f'[Result "{text}"]\n1. 11-15 *', f'[Result "{text}"]\n1. 11-15 {text}'):
        record = one(game)
        assert (record.result, len(record.actions)) == (result, 1)
    assert one(f'[Result "{text}"]\n1. 11-15').result == result
    assert one(f'[Result "*"]\n1. 11-15 {text}').result == result
    assert one(f'[Result "?"]\n1. 11-15 * {text}').result == result


@pytest.mark.parametrize("text", [" 1-0", "1-0 ", " 1-0\t"])
def test_blanks_around_a_result_do_not_matter(text: str) -> None:
    for after in ("", " 1-0", " *"):
        record = one(f'[Result "{text}"]\n1. 11-15{after}')
        assert (record.result, record.reason) == (BLACK, "")
    assert "contradicts" in error_of(f'[Result "{text}"]\n1. 11-15 0-1')


@pytest.mark.parametrize("text", ["1/2", "Black", "1 1/2 - 1/2", "-", "0-1-0", 'a "draw"'])
def test_unknown_result_tag_is_kept_as_reason(text: str) -> None:
    tag = f'[Result "{text}"]\n'
    for game, result, reason in (
        (f"{tag}1. 11-15", ONGOING, text),
        (f"{tag}1. 11-15 *", ONGOING, text),
        (f"{tag}1. 11-15 1/2-1/2", DRAW, text),
        (f"{tag}1. 11-15 0-1", WHITE, text),
        (f'{tag}[Termination "time"]\n1. 11-15 0-1', WHITE, f"time; {text}"),
        (f"{tag}1. 11-15 0-0", ONGOING, f"both sides forfeited; {text}"),
        (f'{tag}[Resigned "White"]\n1. 11-15', BLACK, text),
        (tag + BLACK_WINS, BLACK, f"no legal move; {text}"),
        (f"{tag}{WHITE_WINS} 0-1", WHITE, f"no legal move; {text}"),
        (f"{tag}{KINGS}{SHUFFLE * 2}", DRAW, f"repetition; {text}"),
    ):
        record = one(game)
        assert (record.result, record.reason) == (result, reason), game
        comes_back(record)
    assert "but black won" in error_of(f"{tag}{BLACK_WINS} 0-1")


def test_both_sides_may_forfeit() -> None:
    record = one('[Result "0-0"]\n1. 11-15 0-0')
    assert (record.result, record.reason) == (ONGOING, "both sides forfeited")
    comes_back(record)


def test_the_first_half_of_a_result_is_blacks() -> None:
    for text, winner in ((BLACK_WINS, BLACK), (WHITE_WINS, WHITE)):
        right, wrong = ("1-0", "0-1") if winner == BLACK else ("0-1", "1-0")
        for game in (text, f"{text} *", f"{text} {right}", f'[Result "{right}"]{text}'):
            record = one(game)
            assert (record.result, record.reason) == (winner, "no legal move")
            comes_back(record)
        sides = ("black", "white")
        complaint = f"result {wrong} says that {sides[1 - winner]} won, but {sides[winner]} won: no legal move"
        assert error_of(f'[Result "{wrong}"]\n{text}') == f"line 1, column 1: {complaint}"
        assert error_of(f"{text} {wrong}").startswith(f"line 2, column {len(text.splitlines()[1]) + 2}: {complaint}")
        for other in ("1/2-1/2", "0-0"):
            assert "but " + sides[winner] in error_of(f"{text} {other}")


def test_a_result_after_the_moves_must_not_contradict_the_tag() -> None:
    message = error_of('[Event "x"]\n[Result "1-0"]\n\n1. 11-15 0-1\n')
    assert message == "line 4, column 10: result 0-1 contradicts the earlier result 1-0"
    assert "contradicts" in error_of('[Result "1-0"]\n\n1. 11-15 1-0 1/2-1/2\n')


SHUFFLE = "1-5 32-28 5-1 28-32 "
KINGS = '[FEN "B:WK32:BK1"]\n'


def test_games_may_continue_after_our_draws() -> None:
    drawn = one(KINGS + SHUFFLE * 2)
    assert (drawn.rules, drawn.result, drawn.reason) == (WCDF, DRAW, "repetition")
    longer = one(f"{KINGS} {SHUFFLE * 2} 1-6 1/2-1/2")
    assert (longer.rules, longer.result, longer.reason) == (gamefile.AS_PLAYED, DRAW, "")
    assert len(longer.actions) == 9
    won = one(f"{KINGS} {SHUFFLE * 2} 0-1")
    assert (won.rules, won.result) == (gamefile.AS_PLAYED, WHITE)
    resigned = one(f'[Resigned "Black"] {KINGS} {SHUFFLE * 2} 0-1')
    assert (resigned.rules, resigned.result, resigned.resigned) == (gamefile.AS_PLAYED, WHITE, BLACK)
    inactive = one(f'[FEN "B:WK32:BK1:H80:F99"]\n{SHUFFLE}')
    assert (inactive.rules, len(inactive.actions)) == (gamefile.AS_PLAYED, 4)
    in_a_variation = one(f"{KINGS} 1-5 (1-6 32-28 6-1 28-32 {SHUFFLE * 3}) 32-28")
    assert in_a_variation.rules == gamefile.AS_PLAYED
    for record in (drawn, longer, won, resigned, inactive, in_a_variation):
        comes_back(record)


def test_games_may_not_continue_after_draws_by_their_rules() -> None:
    tagged = f'[Rules "wcdf"]\n{KINGS}'
    assert one(tagged + SHUFFLE * 2).result == DRAW
    assert "move '1-6', but the game is over: repetition" in error_of(f"{tagged} {SHUFFLE * 2} 1-6")
    assert "result 0-1 says that white won, but it was a draw: repetition" in error_of(f"{tagged} {SHUFFLE * 2} 0-1")
    assert "the game is over: ply limit" in error_of(f"{KINGS} {'1-5 32-28 5-1 28-32 ' * 1024} 1-5")
    assert len(one(f"{KINGS} {SHUFFLE * 1024}").actions) == 4096


def test_overlong_game_is_refused() -> None:
    rules = '[RuleOptions "repetition_limit=none max_quiet_plies=4096"]'
    wandering = '[FEN "B:WK32,12:BK1,5:F4096"]\n'
    shuffles = SHUFFLE.replace("5", "6") * 1020
    text = f"{rules}{wandering}{shuffles}"
    assert len(one(text).actions) == 4080
    assert "the game has more than 12288 moves" in error_of(f"{text} 1-6 12-8 6-1 8-4 {shuffles}")


@pytest.mark.parametrize("text", ["21", "21,B", "21,b,8,8,n1,0", "21, B, 8, 8, N1, 0", "", "?"])
def test_accepted_game_types(text: str) -> None:
    assert moves_of(one(f'[GameType "{text}"]\n1. 11-15 *')) == ["11-15"]


@pytest.mark.parametrize(
    "text", ["20", "20,W,10,10,N2,0", "25", "1", "21,W,8,8,N1,0", "21,B,8,8,A0,0", "21,B,8,8,N1,0,x", "x"]
)
def test_refused_game_types(text: str) -> None:
    message = error_of(f'[Event "x"]\n[GameType "{text}"]\n1. 11-15 *')
    assert message.startswith(f"line 2, column 1: game type {text!r} cannot be read, only English draughts")


def test_first_positions_are_read() -> None:
    for fen in ("B:W21-32:B1-12", "B:W18:B14.", "W:B14:W18:H3:F7", "B:WK29-32:B1-4"):
        record = one(f'[SetUp "1"]\n[Fen "{fen}"]\n*')
        game = boardwright.game("draughts")
        assert record.start == (None if "21-32" in fen else game.position(fen).text)
    assert one('[FEN "W:W18:B14"] 1. 18x9').actions == one('[FEN "W:W18:B14"] 1... 18x9').actions
    assert error_of('[Event "x"] [FEN "W:W18:B18"]').startswith("line 1, column 13: position 'W:W18:B18': square 18 is")


def test_latin_1_files_and_byte_order_marks() -> None:
    game = '[Event "Café"]\n1. 11-15 *'
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        assert one(decode(game.encode(encoding))).tags == {"event": "Café"}


# Several games


def test_games_are_separated_at_tags() -> None:
    for text, lengths in {
        "1. 11-15 1-0 1. 11-16 23-19 *": [1, 2],
        "11-15 * 11-16 23-19": [1, 2],
        '[Event "a"]\n1. 11-15\n[Event "b"]\n1. 11-16 23-19': [1, 2],
        '[Event "a"]\n[Round "1"]\n\n[Event "b"]\n[Round "2"]\n\n1. 11-15 *': [0, 1],
        '[Event "a"]\n*\n[Event "b"]\n*\n': [0, 0],
        '[Event "a"]\n1. 11-15 (11-16 1-0) 23-19 *': [2],
        "1. 11-15 * 1-0 {so} {it was}": [1],
        "*": [0],
        "": [],
        " \n\t": [],
        "{only words} ; of no game\n% nor here": [],
    }.items():
        records = gamefile.read(text)
        assert [len(record.actions) for record in records] == lengths, text
    first, second = gamefile.read('[Event "a"]\n11-15 1-0 {end of a}\n\n[Event "b"] {start of b} 11-16 0-1')
    assert (first.comments, first.result, second.comments, second.result) == (
        {1: "end of a"},
        BLACK,
        {0: "start of b"},
        WHITE,
    )


def test_bad_games_do_not_affect_the_others() -> None:
    comments = {0: "closed"}
    good = [GameRecord.of(played(WCDF, n, 9), tags={"event": str(n)}, comments=comments) for n in range(3)]
    texts = [gamefile.write(record) for record in good]
    for bad in (
        '[Event "bad"]\n\n1. 11-14 *\n',
        '[Event "bad"]\n\n1. 11-15 {never closed 23-19 *\n',
        '[Event "bad"]\n\n1. 11-15 (11-16 23-19 *\n',
        '[Event "bad"]\n\n1. 11-15 (11-16 (9-13 (9-14 23-19 1-0\n',
        '[Event "bad"]\n\n1. 11-15 11-16) 23-19 *\n',
        '[Event "bad\n[Site "?"]\n\n1. 11-15 *\n',
        '[Event "bad"]\n[GameType "20"]\n\n1. 32-28 *\n',
        '[Event "bad"]\n[FEN "nonsense"]\n\n1. 32-28 *\n',
        '[Event "bad"]\n[Result "1-0"]\n\n1. 11-15 0-1\n',
        "what is this?\n",
    ):
        for before in range(4):
            records, errors = gamefile.read_all("\n".join((*texts[:before], bad, *texts[before:])))
            assert records == good, bad
            assert len(errors) == 1, bad
            line = int(re.match(r"line (\d+), ", str(errors[0]))[1])  # type: ignore[index]
            first = sum(text.count("\n") + 1 for text in texts[:before])
            assert first < line <= first + bad.count("\n"), bad


OLD_GAME = '1. 11-15 {old game:\n[Event "z"]\n1. 9-13 } 23-19 *\n'


def test_comments_may_hold_lines_that_look_like_tags() -> None:
    record = one(OLD_GAME)
    assert moves_of(record) == ["11-15", "23-19"]
    assert record.comments == {1: 'old game: [Event "z"] 1. 9-13'}
    comes_back(record)
    two_tags = one('1. 11-15 {[Event "x"]\n[Event "y"]\n\n[Site "z"]} 23-19 *')
    assert (len(two_tags.actions), two_tags.comments) == (2, {1: '[Event "x"] [Event "y"] [Site "z"]'})
    after = '\n[Event "b"]\n1. 11-16 {and {so} 24-20 *\n'
    records = gamefile.read(after + OLD_GAME + after + OLD_GAME + OLD_GAME + after)
    comments = [{1: "and {so"}, *[record.comments] * 2, {1: "and {so"}]
    assert [game.comments for game in records] == [*comments[:2], comments[0], *comments[1:]]
    assert [len(game.actions) for game in records] == [2] * 6


def test_unclosed_comment_does_not_swallow_the_next_game() -> None:
    plain = '[Event "plain"]\n1. 11-16 24-20 *\n'
    with_comment = '[Event "b"]\n1. 11-16 {closed} 24-20 *\n'
    for bad in ('[Event "bad"]\n1. 11-15 {open 23-19 *\n', '[Event "bad"]\n1. 11-15 {open {again 23-19 *\n'):
        for others in (plain, with_comment, plain + plain + with_comment, with_comment + OLD_GAME):
            records, errors = gamefile.read_all(bad + others)
            assert records == gamefile.read(others)
            assert [str(error) for error in errors] == ["line 2, column 10: this comment is never closed"]


@pytest.mark.parametrize(
    "last", ["1. 11-16 24-20 strong!} *", "1. 11-16 24-20 * ; good}", "1. 11-16 (1. 9-13}) 24-20 *"]
)
def test_unclosed_comment_ends_before_a_faulty_next_game(last: str) -> None:
    bad, plain = '[Event "bad"]\n1. 11-15 {a slip 23-19 *\n\n', '[Event "plain"]\n[Site "x"]\n\n1. 11-16 24-20 *\n\n'
    records, errors = gamefile.read_all(bad + plain * 3 + f'[Event "last"]\n\n{last}\n')
    assert records[:3] == gamefile.read(plain * 3)
    assert str(errors[0]) == "line 2, column 10: this comment is never closed"
    assert len(records) + len(errors) == 5
