"""The games of the Tablut heuristics paper as text and as a picture: published and ours."""

from collections.abc import Sequence
from html import escape

from boardwright.papers import report
from boardwright.papers.tablut_heuristics.claims import Count, Side

ROLES = ("attackers", "defenders")
_COLOURS = {"wins": "#2f7d4f", "draws": "#c9c5b8", "losses": "#b5443c"}
_INK, _PAPER = "#22303a", "#ffffff"
_LINE, _BAR, _LEFT, _WIDTH = 40, 13, 300, 420  # pixels: height of a side, of a bar, left of the bars, a whole bar


def verdict(side: Side, ours: Count) -> str:
    """Whether the target is met, in words; empty without a target."""
    if side.target is None:
        return ""
    return f"{side.target.text}: {'met' if side.target.met(ours) else 'NOT MET'}"


def table(results: Sequence[tuple[Side, Count]]) -> list[tuple[str, ...]]:
    """The rows of the table, its head first."""
    head = ("table", "player", "as", "against", "ours", "paper", "target")
    lines = [
        (side.table, side.player, ROLES[side.role], side.opponent, str(ours), str(side.paper), verdict(side, ours))
        for side, ours in results
    ]
    return [head, *lines]


def markdown(results: Sequence[tuple[Side, Count]], *, title: str, command: str, setting: str, picture: str) -> str:
    """The page; `picture` is the file name of its plot."""
    missed = sum(side.target is not None and not side.target.met(ours) for side, ours in results)
    targets = sum(side.target is not None for side, _ in results)
    return "\n".join(
        [
            f"# {title}",
            "",
            f"Played again by `{command}`: {setting}.",
            "Results are wins-losses-draws of the player, and the mean plies of the decisive games in brackets.",
            f"Of {targets} targets {targets - missed} are met.",
            "",
            *report.table(table(results)),
            "",
            f"![Shares of wins, draws and losses, ours above the paper's]({picture})",
            "",
        ]
    )


def to_json(side: Side, ours: Count) -> dict[str, object]:
    """The published and our games of a side."""
    return {
        "table": side.table,
        "player": side.player,
        "opponent": side.opponent,
        "role": ROLES[side.role],
        "games": ours.games,
        "wins": ours.wins,
        "losses": ours.losses,
        "draws": ours.draws,
        "decisive_plies": ours.plies,
        "paper": str(side.paper),
        "target": None if side.target is None else side.target.text,
        "met": None if side.target is None else side.target.met(ours),
    }


def svg(results: Sequence[tuple[Side, Count]], *, title: str) -> str:
    """Shares of wins, draws and losses as bars, ours above the published ones, one line for each side."""
    size = f"{_LEFT + _WIDTH + 110} {60 + _LINE * len(results)}"
    font = f'font-family="sans-serif" font-size="12" fill="{_INK}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" {font}>',
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
        f'<text x="12" y="22" font-size="15" font-weight="bold">{escape(title)}</text>',
        *_legend(),
    ]
    for number, (side, ours) in enumerate(results):
        top = 52 + _LINE * number
        name = f"{side.player} as {ROLES[side.role]} – {side.opponent}"
        parts.append(f'<text x="{_LEFT - 10}" y="{top + 18}" text-anchor="end">{escape(name)}</text>')
        parts += _bar(ours, top, 1.0, "ours")
        parts += _bar(side.paper, top + _BAR + 2, 0.55, "paper")
    return "\n".join([*parts, "</svg>", ""])


def _legend() -> list[str]:
    parts = []
    for number, (name, colour) in enumerate(_COLOURS.items()):
        x = _LEFT + 80 * number
        parts.append(f'<rect x="{x}" y="32" width="11" height="11" fill="{colour}"/>')
        parts.append(f'<text x="{x + 16}" y="42">{name}</text>')
    return parts


def _bar(count: Count, top: int, opacity: float, whose: str) -> list[str]:
    parts, x = [], float(_LEFT)
    for name, colour in _COLOURS.items():
        width = _WIDTH * getattr(count, name) / max(count.games, 1)
        if width:
            shape = f'x="{x:.1f}" y="{top}" width="{width:.1f}" height="{_BAR}"'
            parts.append(f'<rect {shape} fill="{colour}" fill-opacity="{opacity}"/>')
        x += width
    label = f'x="{_LEFT + _WIDTH + 6}" y="{top + 11}" font-size="10"'
    return [*parts, f"<text {label}>{whose} {count.wins}-{count.losses}-{count.draws}</text>"]
