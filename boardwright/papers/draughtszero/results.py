"""What was measured for DraughtsZero, and the verdicts that follow from it."""

from dataclasses import dataclass
from typing import NamedTuple

from boardwright.games.draughts.endgames.conversion import Conversion
from boardwright.learn.run.metrics import History
from boardwright.papers.report import FAILS, HOLDS, OPEN, is_more
from boardwright.stats.score import Interval, Score

OURS = "ours"  # the net that is trained here
NOT_RUN = "for our variant; the paper's method was not run"
NO_CRITERION = "an untrained net also scores above 0.5, so this criterion can hardly fail; for our variant"
# Wins, draws and losses of the net before training, with search and tables, against random: `boardwright match draughts
# alphazero:net=run/nets/000000.net,sims=100 random --rules paper --games 40 --openings ballots`.
UNTRAINED = (35, 4, 1)


class Claim(NamedTuple):
    """A claim of the paper, our figure, and the verdict with what restricts it."""

    claim: str
    ours: str
    verdict: str
    note: str


@dataclass(frozen=True)
class Results:
    """All that is reported."""

    history: History
    matches: dict[str, tuple[int, int, int]]  # by opponent: wins, draws and losses of our net with search
    endings: dict[tuple[str, str], tuple[Conversion, ...]]  # by net and how it is asked, for each number of pieces

    def score(self, opponent: str) -> Interval:
        """Of our net with search."""
        return Score(*self.matches[opponent]).interval

    def claims(self) -> list[Claim]:
        """The paper's claims and proposals, judged by our variant of its method."""
        plain, with_tables = (self.endings[OURS, asked][0].share for asked in ("net + search", "net + search + tables"))
        failing = Interval(1 - plain.mean, 1 - plain.high, 1 - plain.low)
        gained = HOLDS if with_tables.low > plain.high else OPEN
        strength, untrained = self.score("random"), Score(*UNTRAINED).share
        pieces = self.endings[OURS, "net + search"][0].pieces
        return [
            Claim(
                "it learned to play",
                f"{strength.mean:.3f} against random, with search and tables; the net before training, with the same, "
                f"{untrained:.3f} of {sum(UNTRAINED)} games",
                *((FAILS, NOT_RUN) if strength.high < 0.5 else (OPEN, NO_CRITERION)),
            ),
            Claim(
                "it had difficulty winning won endings (our criterion: fails in more than half)",
                f"fails in {100 * failing.mean:.0f} % with {pieces} pieces",
                is_more(failing, 0.5),
                NOT_RUN,
            ),
            Claim(
                "endgame tables would help (proposed as training targets, tested here in the search)",
                f"wins {100 * plain.mean:.0f} % without, {100 * with_tables.mean:.0f} % with tables in the search",
                FAILS if with_tables.high < plain.low else gained,
                "for tables in the search of our variant; tables as training targets were not run",
            ),
        ]
