"""Test whether one player is stronger than another (SPRT), and stop as soon as the result is significant.

H0: A is `elo0` points above B; H1: it is `elo1`. Games come in pairs from one opening with the roles swapped, and
pairs are counted in the order of their numbers, so that neither workers nor short games bias the test.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from tyro.conf import Positional

from boardwright.arena.event import PlayedGame, check_even
from boardwright.arena.tally import points
from boardwright.cli.common import N, in_range, print_json
from boardwright.cli.event_options import MAX_GAMES, EventOptions, interruptible
from boardwright.cli.progress import track
from boardwright.stats.sprt import Sprt, count_pairs


@dataclass(frozen=True, kw_only=True)
class Options(EventOptions):
    """Who plays, and the two hypotheses."""

    a: Positional[str]  # The player that may be stronger; `boardwright agents GAME` lists them.
    b: Positional[str]  # The other player.
    elo0: float = 0.0  # Elo points of A above B if H0 is true.
    elo1: float = 10.0  # Elo points of A above B if H1 is true.
    alpha: float = 0.05  # Probability of accepting H1 if H0 is true.
    beta: float = 0.05  # Probability of accepting H0 if H1 is true.
    max_games: N[int] = 100_000  # Stop undecided after N games, an even number.


def run(options: Options) -> None:
    """Prints the decision, or JSON `{decision, llr, lower, upper, pairs, score, elo, …, games, pentanomial}`."""
    most = check_even("--max-games", in_range("--max-games", options.max_games, 1, MAX_GAMES))
    test = Sprt(options.elo0, options.elo1, options.alpha, options.beta)
    event = options.event((options.a, options.b))
    pairs: list[tuple[float, float]] = []
    verdict, played = test.judge((0,) * 5), []
    games = options.play([event], most)
    with interruptible(options, played):
        for pair in _in_order(track(games, most, "games"), played):
            pairs.append(pair)
            verdict = test.judge(count_pairs(pairs))
            if verdict.decision != "continue":
                break
        games.close()
    decision = "undecided" if verdict.decision == "continue" else verdict.decision
    if options.json:
        infinite = (math.inf, -math.inf)  # which JSON cannot say
        finite = {name: None if value in infinite else value for name, value in asdict(verdict).items()}
        print_json(finite | {"decision": decision, "games": 2 * len(pairs), "pentanomial": count_pairs(pairs)})
        return
    meaning = {
        "H1": f"A is stronger: H1 ({options.elo1:+g} Elo) accepted",
        "H0": f"A is not stronger: H0 ({options.elo0:+g} Elo) accepted",
        "undecided": "undecided: --max-games reached",
    }
    a, b = event.players
    print(f"{a} (A) against {b} (B), {event.game} {event.rules.name}, openings {event.openings}")
    print(f"  {meaning[decision]} after {2 * len(pairs)} games")
    print(f"  log-likelihood ratio {verdict.llr:.2f} (bounds {verdict.lower:.2f} and {verdict.upper:.2f})")
    print(f"  pairs with 0, ½, 1, 1½, 2 points for A: {', '.join(map(str, count_pairs(pairs)))}")
    print(f"  Elo of A above B: {verdict.elo:.0f} (95 % interval {verdict.elo_low:.0f} to {verdict.elo_high:.0f})")


def _in_order(games: Iterable[PlayedGame], played: list[PlayedGame]) -> Iterator[tuple[float, float]]:
    """A's points in both games of each pair, the pairs in the order of their numbers; adds all games to `played`."""
    waiting: dict[int, float] = {}
    following = 0
    for game in games:
        played.append(game)
        waiting[game.index] = points(game, game.index % 2)
        while following in waiting and following + 1 in waiting:
            yield waiting.pop(following), waiting.pop(following + 1)
            following += 2
