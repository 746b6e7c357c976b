"""How Cathedral is played: text generated from the options of a rule set."""

from boardwright.games.base import Paragraph
from boardwright.games.cathedral import pieces
from boardwright.games.cathedral.rules import CathedralRules

FIRST = {
    "light": "Light begins and places the cathedral; then dark places the first building.",
    "coin": "A coin decides who begins and places the cathedral; then the other side places the first building.",
    "chance": "Chance places the cathedral; then dark places the first building.",
}


def how_to_play(rules: CathedralRules) -> tuple[Paragraph, ...]:
    """The rules for beginners, without the rewards of learners."""
    return (
        Paragraph("Aim", _aim(rules)),
        Paragraph("Moves", _moves(rules)),
        Paragraph("Territory", _territory(rules)),
        Paragraph("Captures", _captures(rules)),
        Paragraph(
            "The end",
            "The game ends when neither side can build. The side with fewer squares left in hand wins; equal numbers "
            "are a draw. Territory and the cathedral do not count.",
        ),
    )


def _aim(rules: CathedralRules) -> str:
    sizes = pieces.SIZES[: pieces.BUILDINGS]
    other = "dark" if rules.mirrored_side == "light" else "light"
    sets = (
        f"{rules.mirrored_side}'s abbey and academy are the mirror images of {other}'s"
        if rules.mirrored_sets
        else "both sets are the same"
    )
    return (
        f"Find room for more of your buildings than the other side, on a board of {rules.size} × {rules.size} cells. "
        f"Each side has {len(sizes)}, of {min(sizes)} to {max(sizes)} squares, {sum(sizes)} squares in total; {sets}. "
        f"The cathedral, {pieces.SIZES[pieces.CATHEDRAL]} squares, belongs to neither side."
    )


def _moves(rules: CathedralRules) -> str:
    return (
        f"{FIRST[rules.first]} From then on the sides take turns to place one building. It may be rotated but not "
        "turned over, and placed on any empty cells outside the other side's territory. A side that can build must; "
        "a side that cannot is passed over."
    )


def _territory(rules: CathedralRules) -> str:
    size = "any area" if rules.claim_cap is None else f"an area of at most {rules.claim_cap} cells"
    return (
        "Your buildings are walls, and so is the edge of the board. Walls are closed where they touch side to side; "
        f"where only corners touch there is a gap. As long as it holds no piece but yours, {size} that your walls "
        "enclose is your territory: the other side may not build there."
    )


def _captures(rules: CathedralRules) -> str:
    first = "first" if rules.first_building_claims else "second"
    return (
        "If after your move such an area holds exactly one other piece, you capture that, and the area is your "
        "territory: a building goes back to its owner, who may place it again; the cathedral leaves the game. With "
        f"two or more nothing happens. Territory and captures begin with a side's {first} building."
    )
