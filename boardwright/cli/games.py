"""List the games, their rule sets and sizes, or explain how one is played."""

import textwrap
from dataclasses import asdict, dataclass

from tyro.conf import Positional

from boardwright.cli.common import RULES, JsonOption, print_json
from boardwright.errors import BoardwrightError
from boardwright.games.base import Game
from boardwright.games.registry import game, game_names

WIDTH = 100  # columns of text


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """What to print."""

    game: Positional[str | None] = None  # Explain how this game is played.
    rules: RULES[str | None] = None  # Rule set to explain: a name, or a .toml or .json file. Default: the game's own.


def run(options: Options) -> None:
    """Prints a table, or JSON `{games: [{name, title, roles, …}]}`; for one game `{game, rules, how_to_play}`."""
    if options.game is not None:
        bound = game(options.game, options.rules)
        if options.json:
            paragraphs = [asdict(paragraph) for paragraph in bound.how_to_play()]
            named = {"game": bound.name, "rules": bound.rules.name, "rules_title": bound.rules_title}
            print_json({**named, "how_to_play": paragraphs})
        else:
            print(f"{bound.rules_title}, rule set {bound.rules.name}\n\n{how_to_play(bound)}")
        return
    if options.rules is not None:
        raise BoardwrightError("--rules needs a game, as in boardwright games GAME --rules NAME")
    rows = []
    for name in game_names():
        bound = game(name)
        rows.append(
            {
                "name": name,
                "title": bound.title,
                "roles": list(bound.roles),
                "rules": list(bound.rule_sets()),
                "rule_titles": {rules: game(name, rules).rules_title for rules in bound.rule_sets()},
                "default_rules": bound.default_rules,
                "num_actions": bound.num_actions,
                "observation_shape": list(bound.observation_shape),
            }
        )
    if options.json:
        print_json({"games": rows})
        return
    for row in rows:
        shape = "×".join(map(str, row["observation_shape"]))
        print(f"{row['name']}: {' against '.join(row['roles'])}; {row['num_actions']:,} actions, observation {shape}")
        for rules, title in row["rule_titles"].items():
            print(f"  {rules:<16} {title}{' (default)' if rules == row['default_rules'] else ''}")


def how_to_play(bound: Game) -> str:
    """The rules of a game, to be read in a terminal."""
    paragraphs = (f"{paragraph.title}. {paragraph.text}" for paragraph in bound.how_to_play())
    return "\n\n".join(textwrap.fill(paragraph, WIDTH) for paragraph in paragraphs)
