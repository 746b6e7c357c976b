"""The games of the Tablut heuristics paper as text and as a picture: published and ours."""

from collections.abc import Sequence
from html import escape

from boardwright.papers.report import Rows, fill_template, percent, table
from boardwright.papers.tablut_heuristics.claims import TITLE, Count, Side

ROLES = ("attackers", "defenders")
_COLOURS = {"wins": "#2f7d4f", "draws": "#c9c5b8", "losses": "#b5443c"}
_INK, _PAPER = "#22303a", "#ffffff"
_LINE, _BAR, _LEFT, _WIDTH = 40, 13, 300, 420  # pixels: height of a side, of a bar, left of the bars, a whole bar


def rows(results: Sequence[tuple[Side, Count]]) -> Rows:
    """The rows of the table, its head first."""
    found: Rows = [("table", "player", "as", "against", "ours", "our score", "paper", "target")]
    for side, ours in results:
        verdict = "" if side.target is None else f"{side.target}: {'met' if side.is_met(ours) else 'NOT MET'}"
        who = (side.table, side.player, ROLES[side.role], side.opponent)
        found.append((*who, str(ours), percent(ours.interval), str(side.paper), verdict))
    return found


def page(results: Sequence[tuple[Side, Count]], command: str, setting: str) -> str:
    """The page in Markdown."""
    met = [bool(side.is_met(ours)) for side, ours in results if side.target is not None]
    return fill_template(
        __file__,
        command=command,
        setting=setting,
        title=TITLE,
        targets=len(met),
        met=sum(met),
        others=", ".join(dict.fromkeys(side.table for side, _ in results if side.target is None)),
        deviations=_deviations(results),
        sides=table(rows(results)),
    )


def _deviations(results: Sequence[tuple[Side, Count]]) -> str:
    """On sides without a target for which the paper's score is outside our interval, a sentence; empty without any."""
    found = [
        f"`{side.player}` as {ROLES[side.role]} in table {side.table} ({ours.wins} of {ours.games} games won, "
        f"in the paper {side.paper.wins} of {side.paper.games})"
        for side, ours in results
        if side.target is None and not ours.interval.low <= side.paper.share <= ours.interval.high
    ]
    return f" There the paper's score is outside our interval for {' and for '.join(found)}." if found else ""


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
        "target": side.target,
        "met": side.is_met(ours),
    }


def svg(results: Sequence[tuple[Side, Count]]) -> str:
    """Shares of wins, draws and losses as bars, ours above the published ones, one line for each side."""
    size = f"{_LEFT + _WIDTH + 110} {60 + _LINE * len(results)}"
    font = f'font-family="sans-serif" font-size="12" fill="{_INK}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" {font}>',
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
        f'<text x="12" y="22" font-size="15" font-weight="bold">{TITLE}</text>',
    ]
    for number, (name, colour) in enumerate(_COLOURS.items()):  # the legend
        x = _LEFT + 80 * number
        parts.append(f'<rect x="{x}" y="32" width="11" height="11" fill="{colour}"/>')
        parts.append(f'<text x="{x + 16}" y="42">{name}</text>')
    for number, (side, ours) in enumerate(results):
        top = 52 + _LINE * number
        name = f"{side.player} as {ROLES[side.role]} – {side.opponent}"
        parts.append(f'<text x="{_LEFT - 10}" y="{top + 18}" text-anchor="end">{escape(name)}</text>')
        parts += _bar(ours, top, 1.0, "ours")
        parts += _bar(side.paper, top + _BAR + 2, 0.55, "paper")
    return "\n".join([*parts, "</svg>", ""])


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
