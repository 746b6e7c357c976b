"""A balance as text and as a picture: who is favoured under each rule set, by opening, and how sure that is."""

import math
from collections.abc import Sequence

from boardwright.arena.balance import BalanceSettings, Line, opening_name
from boardwright.games.registry import game_class
from boardwright.papers.report import OPEN, Rows, fill_template, percent, table
from boardwright.stats.score import Interval
from boardwright.views.chart import Chart
from boardwright.views.chart import Line as Curve

PICTURE = "balance.svg"
EVEN_COLOUR = 5
OUT_OF_RULES = " †"  # after the name of a rule set that the net did not learn
OUT_OF_RULES_NOTE = """
† The net was trained on other rules. Observations and actions are the same, and the search follows the
rules of the row, but its evaluations come from the rules it was trained on.
"""


def page(settings: BalanceSettings, lines: Sequence[Line], *, command: str, setting: str) -> str:
    """A page of its own; its picture is the file `PICTURE`."""
    title = f"{game_class(settings.game).title}: which side is favoured?"
    return f"# {title}\n\nMade by `{command}`: {setting}.\n\n{section(settings, lines, PICTURE)}\n"


def section(settings: BalanceSettings, lines: Sequence[Line], picture: str) -> str:
    """The text without a title, for use in other pages."""
    first, second = game_class(settings.game).roles
    several = several_play(lines)
    return fill_template(
        __file__,
        "balance.md",
        who="In each row the net named there" if several else "One net",
        nets="these nets" if several else "this net",
        simulations=settings.simulations,
        games=settings.games,
        first=first,
        second=second,
        rows=table(rows(settings, lines)),
        note="" if all(line.is_own for line in lines) else OUT_OF_RULES_NOTE,
        picture=picture,
    ).rstrip()


def several_play(lines: Sequence[Line]) -> bool:
    """Whether more than one net plays."""
    return len({line.net for line in lines}) > 1


def rows(settings: BalanceSettings, lines: Sequence[Line]) -> Rows:
    """The rows of the table, its head first; it has the column `net` only if several nets play."""
    first, second = game_class(settings.game).roles
    several = several_play(lines)
    columns = ("opening", f"{first} won", "drawn", f"{second} won", f"score of {first}", "advantage", "plies")
    found: Rows = [("rules", *(["net"] if several else []), *columns, "different openings", "favoured")]
    for line in lines:
        counts, (plies, reach) = line.counts, line.counts.mean_plies
        favoured = counts.favoured
        found.append(
            (
                f"`{line.rules}`{'' if line.is_own else OUT_OF_RULES}",
                *([f"`{line.net}`"] if several else []),
                opening_name(line.plies),
                percent(counts.won[0]),
                percent(counts.drawn),
                percent(counts.won[1]),
                percent(counts.score),
                _elo(counts.elo),
                f"{plies:.1f} ± {reach:.1f}",
                f"{counts.openings:,}",
                OPEN if favoured is None else f"**{(first, second)[favoured]}**",
            )
        )
    return found


def chart(settings: BalanceSettings, lines: Sequence[Line]) -> Chart:
    """The score of the first role by plies of the opening, one line per rule set, with its interval."""
    curves = []
    for place, rules in enumerate(dict.fromkeys(line.rules for line in lines)):
        mine = sorted((line for line in lines if line.rules == rules), key=lambda line: line.plies)
        scores = [line.counts.score for line in mine]
        columns = ([getattr(score, name) for score in scores] for name in ("mean", "low", "high"))
        curves.append(Curve(rules, [float(line.plies) for line in mine], *columns, colour=place))
    first, deepest = game_class(settings.game).roles[0], float(max((line.plies for line in lines), default=0))
    curves.append(Curve("even", [0.0, deepest], [0.5, 0.5], colour=EVEN_COLOUR, dash=1))
    axes = ("random plies before the game", f"score of the {first}")
    title = f"Score of the {first}, {'the same' if several_play(lines) else 'one'} net on both sides"
    return Chart(title, *axes, tuple(curves), x_includes=(0.0,), y_includes=(0.0, 1.0))


def _elo(elo: Interval) -> str:
    if not math.isfinite(elo.mean):
        return f"more than {elo.low:.0f}" if elo.mean > 0 else f"less than {elo.high:.0f}"
    bounds = (f"{bound:+.0f}" if math.isfinite(bound) else "∞" for bound in (elo.low, elo.high))
    return f"{elo.mean:+.0f} [{', '.join(bounds)}]"
