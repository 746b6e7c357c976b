"""List the games, their rule sets and sizes."""

from dataclasses import dataclass

from boardwright.cli.choose import print_json
from boardwright.games.registry import game, game_names


@dataclass(frozen=True)
class Options:
    """What to print."""

    json: bool = False
    """Print one JSON object and nothing else."""


def run(options: Options) -> None:
    """Prints a table, or JSON `{games: [{name, title, roles, rules, …}]}`."""
    rows = []
    for name in game_names():
        bound = game(name)
        rows.append(
            {
                "name": name,
                "title": bound.title,
                "roles": list(bound.roles),
                "rules": list(bound.rule_sets()),
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
        print(f"  rule sets: {', '.join(row['rules'])} (default {row['default_rules']})")
