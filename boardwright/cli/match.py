"""Play two players against each other, in pairs of games with the roles swapped."""

from dataclasses import asdict, astuple, dataclass

from tyro.conf import Positional

from boardwright.arena.event import Event, PlayedGame, check_even
from boardwright.arena.tally import MatchTally, Tally, match_tally, pair_points, points
from boardwright.cli.common import N, in_range, print_json
from boardwright.cli.event_options import MAX_GAMES, EventOptions
from boardwright.errors import printable
from boardwright.stats.score import Interval, elo_of_score, score_interval


@dataclass(frozen=True, kw_only=True)
class Options(EventOptions):
    """Who plays, and how often."""

    a: Positional[str]  # Player whose result is reported, such as `mc:sims=400`; `boardwright agents GAME` lists them.
    b: Positional[str]  # The other player.
    games: N[int] = 100  # Number of games, even.


def run(options: Options) -> None:
    """Prints a table, or JSON `{games, wins, draws, losses, score, low, high, by_role: {…}, forfeits}` from A's side.

    `forfeits` is `{a, b, reasons}`: games lost by breaking the rules of the match.
    """
    games = check_even("--games", in_range("--games", options.games, 1, MAX_GAMES))
    event = options.event((options.a, options.b))
    played = options.play_all([event], games)
    counted = match_tally(played)
    total = counted.a[0] + counted.a[1]
    score = score_interval(pair_points(played))
    if options.json:
        print_json(
            {
                "games": total.score.games,
                **asdict(total.score),
                "score": score.mean,
                "low": score.low,
                "high": score.high,
                "by_role": {
                    role: {"games": side.score.games, **asdict(side.score), "mean_plies": side.mean_plies}
                    for role, side in zip(event.bound_game().roles, counted.a, strict=True)
                },
                "forfeits": {"a": total.forfeits, "b": counted.b.forfeits, "reasons": _reasons(played)},
            }
        )
        return
    _print_table(event, played, counted, score)


def _print_table(event: Event, played: list[PlayedGame], counted: MatchTally, score: Interval) -> None:
    """A's results by role, the time both used, and forfeits by their reasons."""
    a, b = event.players
    roles = event.bound_game().roles
    print(f"{a} (A) against {b} (B), {event.game} {event.rules.name}, openings {event.openings}")
    print(f"  {'A as':<12} {'games':>6} {'wins':>6} {'draws':>6} {'losses':>6}  {'score (95 %)':<22} {'plies':>6}")
    for role in (0, 1):
        singles = score_interval((points(game, role),) for game in played if game.index % 2 == role)
        _print_row(roles[role], counted.a[role], singles)
    total = counted.a[0] + counted.a[1]
    _print_row("both", total, score)
    low, mid, high = (elo_of_score(value) for value in (score.low, score.mean, score.high))
    print(f"  Elo of A above B: {mid + 0.0:.0f} (95 % interval {low:.0f} to {high:.0f})")
    for name, side in (("A", total), ("B", counted.b)):
        spent = f"{side.seconds:.1f} s in total, {1000 * side.seconds_per_move:.1f} ms/move"
        forfeits = f"; {side.forfeits} games forfeited" if side.forfeits else ""
        print(f"  {name} used {spent}, at most {side.longest:.3f} s{forfeits}")
    for reason in _reasons(played):
        print(f"  {printable(reason)}")


def _print_row(name: str, side: Tally, score: Interval) -> None:
    share = f"{100 * score.mean:5.1f} % ({100 * score.low:.1f}-{100 * score.high:.1f})"
    counts = " ".join(f"{count:>6}" for count in (side.score.games, *astuple(side.score)))
    print(f"  {name:<12} {counts}  {share:<22} {side.mean_plies:>6.1f}")


def _reasons(played: list[PlayedGame]) -> list[str]:
    """Why games were forfeited, each reason once."""
    return sorted({game.record.reason for game in played if game.forfeited_by is not None})
