"""A measured ladder as a page of results."""

from collections.abc import Sequence

from boardwright.arena.ladder import ANCHOR
from boardwright.arena.ladder_file import RatedField
from boardwright.games.declarations import LadderRow
from boardwright.papers.markdown import table


def page(rated: RatedField, rows: Sequence[LadderRow], first_role: str) -> str:
    """The page that is kept, in Markdown."""
    labels = {row.spec: row.label for row in rows}
    lines = [
        (
            str(place),
            f"`{rating.name}`",
            f"{rating.elo:.0f}",
            f"{rating.elo - rating.minus:.0f} to {rating.elo + rating.plus:.0f}",
            str(rating.games),
            labels.get(rating.name) or "",
        )
        for place, rating in enumerate(rated.players, start=1)
    ]
    setting = f"on {rated.machine}, {rated.date}, boardwright {rated.version}"
    return "\n".join(
        [
            f"# Ratings: {rated.game}, `{rated.rules}`",
            "",
            f"Measured by `{rated.command}` {setting}: {rated.games:,} games.",
            "",
            f"Elo by BayesElo, `{ANCHOR}` being 0, with 95 % intervals. The last column is what the app calls those",
            "that it offers as opponents.",
            "",
            *table([("rank", "player", "Elo", "95 %", "games", "rung of the ladder"), *lines]),
            "",
            f"Advantage of {first_role}: {rated.advantage:.1f} Elo; draw parameter: {rated.draw:.1f} Elo.",
            *(f"\nWarning: {doubt}." for doubt in rated.doubts),
            "",
        ]
    )
