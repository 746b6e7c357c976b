"""Cathedral game files: round trips, the ways people write them, and refusals with the place of the fault."""

import functools
import re
from dataclasses import replace

import pytest
from game_files import GameFileChecks, few, random_game
from hypothesis import given
from hypothesis import strategies as st
from made_up import rule_names

import boardwright
from boardwright.errors import BoardwrightError, GameFileError, IllegalMoveError
from boardwright.games.base import CHANCE, DRAW, ONGOING
from boardwright.games.cathedral import gamefile
from boardwright.games.cathedral.rules import DARK, LIGHT, RULE_SETS, CathedralRules
from boardwright.games.draughts.rules import WCDF
from boardwright.games.gamefile import decode
from boardwright.games.record import GameRecord, Line

SIX = RULE_SETS["paper-6"]
COIN = replace(SIX, name="coin", first="coin")
CHANCE_PLACES = replace(SIX, name="chance", first="chance")
LATE = "a1GGGb/CCcggg/HHceFF/HHeeFE/DDjjEE/1jjdd1 l 2,2 l 30"  # light is some moves from winning
LATE_TAGS = f'[Rules "paper-6"]\n[Position "{LATE}"]\n'
LATE_MOVES = "1. light tavern2 a1\n2. light tavern b6\n3. dark tavern f1\n"
checks = GameFileChecks(gamefile)
one, error_of, comes_back = checks.one, checks.error_of, checks.comes_back
played = functools.partial(random_game, "cathedral")


# Round trips

words = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('{}[]()"\\% \t\r\n;0A257D*.'), max_size=30)
one_line = words.map(lambda text: re.sub(r"[\r\n]", "", text))
printable = one_line.map(lambda text: "".join(filter(str.isprintable, text)))
roster = st.dictionaries(
    st.sampled_from(("event", "site", "date", "round", "light", "dark")),
    one_line.filter(lambda text: text not in ("", "?", "????.??.??")),
)
own_names = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,8}", fullmatch=True)
own_tag_names = own_names.filter(lambda name: gamefile.FORMAT.record_name(name) == name)
own_tags = st.dictionaries(own_tag_names, one_line, max_size=3)


@st.composite
def rule_sets(draw: st.DrawFn) -> CathedralRules:
    """Any rules, under any name, shipped names too."""
    size = draw(st.sampled_from((6, 7)))
    cap = draw(st.none() | st.integers(1, size**2))
    mirrored = draw(st.booleans())
    return CathedralRules(
        name=draw(rule_names | st.sampled_from(list(RULE_SETS))),
        size=size,
        claim_cap=cap,
        first_building_claims=cap is not None and cap <= 24 and draw(st.booleans()),
        mirrored_sets=mirrored,
        mirrored_side=draw(st.sampled_from(("dark", "light"))) if mirrored else "dark",
        first=draw(st.sampled_from(("light", "coin", "chance"))),
        rewards=draw(st.sampled_from(("sparse", "shaped"))),
    )


@st.composite
def records(draw: st.DrawFn, rules: st.SearchStrategy[CathedralRules]) -> GameRecord:
    """Random games: of all lengths, from the start or another position, decided, agreed, resigned or adjourned."""
    chosen = draw(rules)
    seeds = st.integers(0, 2**32)
    start = played(chosen, draw(seeds), draw(st.integers(0, 20))).text if draw(st.booleans()) else None
    last = played(chosen, draw(seeds), draw(st.sampled_from((0, 1, 2, 9, 100))), start)
    length = len(last.actions())
    record = replace(
        GameRecord.of(last, start=start),
        comments=draw(st.dictionaries(st.integers(0, length), words.filter(bool), max_size=3)),
        tags=draw(roster) | draw(own_tags),
    )
    if last.outcome is not None:
        return replace(record, reason=draw(st.sampled_from((record.reason, "", "nobody could build"))))
    gave_up = draw(st.integers(0, 1))
    endings = ((ONGOING, "", None), (ONGOING, "adjourned", None), (DRAW, "agreed", None), (LIGHT, "", None))
    endings += ((DARK, 'on "time"', None), (1 - gave_up, "", gave_up), (1 - gave_up, "gave up", gave_up))
    result, reason, resigned = draw(st.sampled_from(endings))
    return replace(record, result=result, reason=reason, resigned=resigned)


@pytest.mark.parametrize(
    "rules",
    [
        st.sampled_from([rules for rules in RULE_SETS.values() if rules.size < 9]),
        st.sampled_from([COIN, CHANCE_PLACES]),
        rule_sets(),
    ],
    ids=["shipped", "chance", "made-up"],
)
@few
@given(data=st.data())
def test_games_survive_a_round_trip(rules: st.SearchStrategy[CathedralRules], data: st.DataObject) -> None:
    comes_back(data.draw(records(rules)))


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_whole_games_survive_a_round_trip(rules: CathedralRules) -> None:
    for seed in range(3):
        record = GameRecord.of(played(rules, seed))
        assert record.result != ONGOING
        comes_back(record)


@few
@given(st.lists(records(st.just(SIX)), max_size=4))
def test_several_games_in_a_file_survive_a_round_trip(several: list[GameRecord]) -> None:
    assert gamefile.read(gamefile.write_all(several)) == several


def test_text_of_a_file() -> None:
    game = boardwright.game("cathedral", replace(RULE_SETS["official"], name="house rules", first="coin", size=9))
    position = game.start()
    for move in ("dark", "cathedral e5 r90", "castle b3", "tower h7 r180"):
        position = position.play(move)
    comments = {0: "a fine\nevening", 3: "a wall {begun}"}
    record = GameRecord.of(position, comments=comments, tags={"event": "Club", "light": 'A "B" C', "Clock": "0:30"})
    assert gamefile.write(record) == (
        '[Event "Club"]\n[Site "?"]\n[Date "?"]\n[Round "?"]\n[Light "A \\"B\\" C"]\n[Dark "?"]\n[Result "*"]\n'
        '[Rules "house rules"]\n[RuleOptions "size=9 first=coin"]\n[Clock "0:30"]\n'
        "\n"
        "{a fine%0Aevening}\n"
        "1. chance dark\n"
        "2. dark cathedral e5 r90\n"
        "3. light castle b3 {a wall {begun%7D}\n"
        "4. dark tower h7 r180\n"
        "*\n"
    )
    comes_back(record)


def test_a_game_from_a_position_with_a_player_passed_over() -> None:
    record = one(LATE_TAGS + LATE_MOVES)
    assert (record.start, len(record.actions), record.result) == (LATE, 3, LIGHT)
    assert record.reason == "fewer squares left"
    text = gamefile.write(record)
    assert text.endswith(f"\n\n{LATE_MOVES}1-0\n")
    assert f'[Result "1-0"]\n[Rules "paper-6"]\n[Position "{LATE}"]\n' in text


# What people write


def test_ways_to_write_a_game() -> None:
    plain = one("1. light cathedral e5\n2. dark castle b3\n*")
    assert plain.rules == RULE_SETS["official"]
    for text in (
        "light cathedral e5\ndark castle b3",
        "1. light cathedral e5 2. dark castle b3 *",
        "1.light cathedral e5\r\n2.dark castle b3 r0\r\n",
        '\ufeff[Event "?"]\n\n  1.  Light   CATHEDRAL E5 \n\n\n\t2. DARK castle\tB3\n* *',
        "% not for us\n01. light cathedral e5\n{}2. dark castle b3\n",
        '[Rules "official"]\n[Result "?"]\nlight cathedral e5\ndark castle b3',
        '[RULES "official"]\n[result ""]\nlight cathedral e5\ndark castle b3',
    ):
        assert replace(one(text), comments={}) == plain, text


def test_comments_belong_to_the_move_before() -> None:
    record = one(
        "{before}\n1. light cathedral e5 {same\n   line} {again}\n{next} 2. dark castle b3 ; to the end\n* {over}"
    )
    assert record.comments == {0: "before", 1: "same line\nagain\nnext", 2: "to the end\nover"}


def test_comments_may_hold_lines_that_look_like_tags() -> None:
    text = '[Event "a"]\nlight cathedral e5 {as in\n[Event "z"]\nof old}\ndark castle b3\n*\n'
    records = gamefile.read(text + text)
    assert [(len(record.actions), record.comments) for record in records] == [(2, {1: 'as in [Event "z"] of old'})] * 2
    comes_back(records[0])


def test_rules_are_read_from_tags() -> None:
    assert one("*").rules == RULE_SETS["official"]
    assert one('[Rules "paper"]\n*').rules == RULE_SETS["paper"]
    assert one('[RuleOptions "size=8"]\n*').rules == CathedralRules(name="custom", size=8)
    options = "size=7 claim_cap=28 first_building_claims=true mirrored_sets=false first=chance rewards=shaped"
    assert one(f'[Rules "mine"]\n[RuleOptions "{options}"]\n*').rules == CathedralRules(
        name="mine",
        size=7,
        claim_cap=28,
        first_building_claims=True,
        mirrored_sets=False,
        first="chance",
        rewards="shaped",
    )
    assert one('[Rules "paper"]\n[RuleOptions "claim_cap=none"]\n*').rules == CathedralRules(name="paper")


def test_result_is_read_from_the_tag_or_the_moves() -> None:
    for text, result in {"1-0": LIGHT, "0-1": DARK, "1/2-1/2": DRAW, "*": ONGOING}.items():
        assert one(f"light cathedral e5\n{text}").result == result
        assert one(f'[Result "{text}"]\nlight cathedral e5').result == result
        assert one(f'[Result "{text}"]\nlight cathedral e5\n*').result == result
    for text in ("1-0", "*", ""):
        record = one(f"{LATE_TAGS}{LATE_MOVES}{text}")
        assert (record.result, record.reason) == (LIGHT, "fewer squares left")
    record = one('[Resigned "Dark"]\n[Termination "a bus to catch"]\nlight cathedral e5')
    assert (record.result, record.resigned, record.reason) == (LIGHT, DARK, "a bus to catch")


def test_games_are_separated_at_tags() -> None:
    for text, lengths in {
        "light cathedral e5\n*\nlight cathedral e6\n": [1, 1],
        '[Event "a"]\nlight cathedral e5\n[Event "b"]\n\nlight cathedral e6\ndark castle b3': [1, 2],
        '[Event "a"]\n\n[Event "b"]\n\nlight cathedral e5 *': [0, 1],
        "*": [0],
        "": [],
        "{only words} ; of no game": [],
    }.items():
        assert [len(record.actions) for record in gamefile.read(text)] == lengths, text


# What cannot be written


def test_invalid_records_are_refused() -> None:
    good = GameRecord.of(played(SIX, 1, 4))
    over = GameRecord.of(played(SIX, 1))
    for record, complaint in {
        replace(good, game="draughts", rules=WCDF): "a record of draughts cannot be written as a game of Cathedral",
        replace(good, marks={1: ("!",)}): "no marks and no variations",
        replace(good, variations={1: (Line(),)}): "no marks and no variations",
        replace(good, comments={5: "x"}): "a comment after 5 moves: the game has 4",
        replace(good, comments={-1: "x"}): "a comment after -1 moves",
        replace(good, tags={"result": "1-0"}): "tag 'result' cannot be written",
        replace(good, tags={"Light": "x"}): "tag 'Light' cannot be written: it is not a valid tag name",
        replace(good, tags={"a b": "x"}): "tag 'a b' cannot be written",
        replace(good, tags={"event": "?"}): "'?' means unknown: leave the tag out",
        replace(good, tags={"event": "a\nb"}): "tag 'event' cannot be written: its value has more than one line",
        replace(over, result=1 - over.result): "result ",
        replace(over, result=ONGOING): "says that it is unfinished, but ",
        replace(over, resigned=LIGHT): "a resignation, but the game is over",
        replace(good, resigned=LIGHT, result=LIGHT): "says that light won, but dark won: light resigned",
    }.items():
        with pytest.raises(GameFileError, match=re.escape(complaint)):
            gamefile.write(record)
    with pytest.raises(BoardwrightError, match="printable characters"):
        replace(SIX, name="a\x07b")
    with pytest.raises(IllegalMoveError, match="action 2: "):
        gamefile.write(replace(good, actions=(good.actions[0], good.actions[0])))


# What cannot be read


def test_chance_moves_belong_to_chance() -> None:
    tags = '[RuleOptions "first=coin"]\n'
    assert one(f"{tags}chance dark\ndark cathedral e5").actions[0] == 1
    assert "made by light, but chance is to move" in error_of(f"{tags}light cathedral e5")
    assert "the coin decides first, light or dark" in error_of(f"{tags}chance cathedral e5")
    tags = '[RuleOptions "first=chance"]\n'
    record = one(f"{tags}chance cathedral e5\ndark castle b3")
    assert next(record.positions()).role_to_move == CHANCE


def test_bad_games_do_not_affect_the_others() -> None:
    good = [GameRecord.of(played(SIX, n, 9), tags={"event": str(n)}, comments={0: "closed"}) for n in range(3)]
    for bad in (
        '[Event "bad"]\n\n1. light castle e5\n*\n',
        '[Event "bad"]\n\n1. light cathedral e5 {never closed\n*\n',
        '[Event "bad\n[Site "?"]\n\n1. light cathedral e5\n*\n',
        '[Event "bad"]\n[Rules "none such"]\n\n*\n',
        '[Event "bad"]\n[Result "1-0"]\n\nlight cathedral e5\n0-1\n',
        "what is this?\n",
    ):
        checks.leaves_other_games(good, bad)


# Hostile files


@few
@given(st.data())
def test_damaged_files_raise_only_game_file_errors(data: st.DataObject) -> None:
    text = gamefile.write_all(
        [
            GameRecord.of(played(COIN, 1, 12), comments={2: "so"}),
            GameRecord.of(played(SIX, 2, 9, LATE), start=LATE, tags={"light": "A"}),
        ]
    )
    checks.survives_damage(data, text, '[]{}()"\\;%*.-=/0128 \nabelr\x00é')


LARGE = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "light " * LARGE,
        "light\n" * LARGE,
        "light cathedral e5\n" * LARGE,
        "* light\n" * (LARGE // 20),
        "x" * LARGE,
        "é" * LARGE,
        "1." * LARGE,
        "1. " * LARGE,
        "." * LARGE,
        "0" * LARGE + "1. light",
        "(" * LARGE,
        "{" * LARGE,
        "{ " * LARGE + "}",
        "[" * LARGE,
        '[A "' * LARGE,
        '[A "x"] ' * LARGE,
        '[A "x"]\n\n' * (LARGE // 20),
        '[A "' + '\\"' * LARGE,
        '[Rules "' + "x" * LARGE + '"]*',
        '[RuleOptions "' + "x=1 " * LARGE + '"]*',
        '[RuleOptions "size=' + "8" * LARGE + '"]*',
        '[Position "' + "6/" * LARGE + ' l 0,0 l 0"]*',
        '[Position "' + "9" * LARGE + '/6/6/6/6/6/6/6/6/6 l 0,0 l 0"]*',
        '[Resigned "' + "x" * LARGE + '"]*',
        '[Result "' + "x" * LARGE + '"]*',
        "* " * LARGE,
        "{%" + "%25" * LARGE + "}*",
        "\x00" * LARGE,
        "\n" * LARGE + "x",
        "".join(f'[Rules "{n}"]\n[RuleOptions ""]\n*\n' for n in range(LARGE // 20)),
        "".join(f'[RuleOptions "size=6 claim_cap={n % 36 + 1} first={n}"]\n*\n' for n in range(LARGE // 20)),
    ],
    ids=lambda text: repr(text[:24]),
)
def test_hostile_files_are_read_in_linear_time(text: str) -> None:
    checks.is_read_in_time(text)


def test_the_number_of_rule_sets_in_a_file_is_bounded() -> None:
    texts = [f'[Rules "{n}"]\n[RuleOptions "size=6"]\n*\n' for n in range(gamefile.MAX_RULE_SETS + 1)]
    found, errors = gamefile.read_all("".join((*texts, texts[0])))
    assert [record.rules.name for record in found] == [*map(str, range(gamefile.MAX_RULE_SETS)), "0"]
    assert [str(error) for error in errors] == [
        f"line {3 * gamefile.MAX_RULE_SETS + 1}, column 1: the file has games of more than 64 rule sets"
    ]


def test_bytes_become_text_as_in_other_game_files() -> None:
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        assert one(decode('[Light "Café"]\n*'.encode(encoding))).tags == {"light": "Café"}
