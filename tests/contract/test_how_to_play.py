"""The rules in words: every rule set has them, and every option that matters changes them."""

import dataclasses
import typing
from collections.abc import Iterator
from typing import Any, Literal

from boardwright.errors import RulesError
from boardwright.games import registry
from boardwright.games.base import Game, Rules
from boardwright.games.rulefile import value_text

NOT_FOR_PEOPLE = {"name", "rewards"}  # rewards are what learners are paid
OTHER_VALUES = {
    "start": ["/3ttt3/4t4/9/t7t/ttTTKTTtt/t7t/9/4t4/3ttt3/"],
    "camps": [(("d1", "e1"),), (("d9", "e9"),)],
}


def words(one: Game) -> str:
    return "\n".join(f"{paragraph.title}: {paragraph.text}" for paragraph in one.how_to_play())


def has_few_options(one: Game) -> bool:
    """Whether it is a small game, with a shorter text."""
    return len(dataclasses.fields(one.rules)) < 5  # the name among them


def other_values(option: str, hint: Any, value: Any) -> list[Any]:
    """What else an option may be; numbers a little less, so that they fit where they have a bound."""
    if typing.get_origin(hint) is Literal:
        values = list(typing.get_args(hint))
    elif hint is bool:
        values = [False, True]
    elif option in OTHER_VALUES:
        values = OTHER_VALUES[option]
    else:
        values = [*([None] if type(None) in typing.get_args(hint) else []), 7 if value is None else value - 1]
    return [other for other in values if other != value]


def means_nothing(rules: Any, option: str) -> bool:
    """Whether an option is about something that these rules do without."""
    if option in ("repetition_limit", "count_start"):
        return getattr(rules, "repetition", None) == "none"
    return option == "man_moves_are_quiet" and rules.max_quiet_plies is None


def changed(rules: Any) -> Iterator[tuple[str, Rules]]:
    """Rule sets that differ in one option; those that contradict themselves are left out."""
    hints = typing.get_type_hints(type(rules))
    for option in (field.name for field in dataclasses.fields(rules)):
        if option in NOT_FOR_PEOPLE or means_nothing(rules, option):
            continue
        for value in other_values(option, hints[option], getattr(rules, option)):
            try:
                yield f"{option}={value_text(value)}", dataclasses.replace(rules, **{option: value})
            except RulesError:
                continue


def test_every_rule_set_has_whole_sentences(game: Game) -> None:
    paragraphs = game.how_to_play()
    assert [paragraph.title for paragraph in paragraphs][:: len(paragraphs) - 1] == ["Aim", "The end"]
    for paragraph in paragraphs:
        assert paragraph.text.endswith(".")
        assert paragraph.text[0].isupper()
        assert not any(stray in paragraph.text for stray in ("None", "{", "  ", ".."))
    assert (200 if has_few_options(game) else 500) < len(words(game)) < 2500  # short enough to be read


def test_every_option_changes_the_text(game: Game) -> None:
    seen = {option: words(type(game)(rules, game.observation)) for option, rules in changed(game.rules)}
    assert len(seen) >= 3 or has_few_options(game)
    assert [option for option, text in seen.items() if text == words(game)] == []


def test_how_to_play_differs_between_shipped_rule_sets(shipped_game: Game) -> None:
    others = [name for name in shipped_game.rule_sets() if name != shipped_game.rules.name]
    assert words(shipped_game) not in [words(registry.game(shipped_game.name, name)) for name in others]
    assert shipped_game.default_summary
    titles = [registry.game(shipped_game.name, name).rules_title for name in shipped_game.rule_sets()]
    assert len(set(titles)) == len(titles)
    assert not any("custom" in title for title in titles)
