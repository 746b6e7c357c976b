"""One game: seeds, clocks, adjudication, and players that break the rules."""

import time
from dataclasses import replace
from itertools import islice

import pytest

import boardwright
from boardwright.agents import players
from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.specs import SEED, TIME, Player
from boardwright.arena.event import Clock, Conditions, ScheduledGame, parse_clock
from boardwright.arena.game import play_game
from boardwright.arena.openings import Beginning
from boardwright.errors import BoardwrightError
from boardwright.games.base import DRAW, Position

DRAUGHTS = boardwright.game("draughts")


class Scripted(Agent):
    """Does the same in every position."""

    last_limit: Limit | None = None
    closed = 0

    def __init__(self, behaviour: str):
        self.behaviour = behaviour

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        Scripted.last_limit = limit
        if self.behaviour == "crash":
            raise RuntimeError("out of ideas\nand of lines")
        if self.behaviour == "complain":
            raise BoardwrightError("no network file")
        if self.behaviour == "cheat":
            return Choice(next(a for a in range(position.game.num_actions) if not position.core.is_legal(a)))
        if self.behaviour == "nonsense":
            return Choice(None)  # type: ignore[arg-type]
        if self.behaviour == "sleep":
            time.sleep(0.2)
        return Choice(position.legal_actions()[0])

    def close(self) -> None:
        Scripted.closed += 1


def refuse(game, chosen) -> Agent:
    raise OSError("no such program")


@pytest.fixture(autouse=True)
def scripted_players(monkeypatch: pytest.MonkeyPatch) -> None:
    behaviours = ("crash", "complain", "cheat", "nonsense", "sleep", "plain")
    made = [Player(name, "", lambda game, chosen, name=name: Scripted(name), (SEED, TIME)) for name in behaviours]
    monkeypatch.setattr(players, "PLAYERS", (*players.PLAYERS, *made, Player("missing", "", refuse)))
    Scripted.closed = 0


def game_of(first: str, second: str, beginning: Beginning = Beginning(), seed: int = 0) -> ScheduledGame:  # noqa: B008
    return ScheduledGame(
        index=seed, players=(first, second), beginning=beginning, seeds=(seed, seed + 1), chance_seed=0
    )


def test_game_is_played_to_the_end_and_recorded(event) -> None:
    (scheduled,) = islice(event("random", "random", game="draughts").schedule(), 1)
    played = play_game(DRAUGHTS, scheduled, Conditions())
    last = list(played.record.positions())[-1]
    assert last.outcome is not None
    assert (played.record.result, played.record.reason) == (
        DRAW if last.outcome.winner is None else last.outcome.winner,
        last.outcome.reason,
    )
    assert len(played.seconds) == len(played.record.actions)
    assert played.opening == len(scheduled.beginning.actions)
    assert all(second == 0 for second in played.seconds[: played.opening])
    assert (played.players, played.index, played.forfeited_by) == (scheduled.players, 0, None)


@pytest.mark.parametrize("name", boardwright.game_names())
def test_same_seed_gives_the_same_game(name: str) -> None:
    """Players without a seed in their spec get one; chance follows the game's seed as well."""
    for rules in boardwright.game(name).rule_sets():
        game = boardwright.game(name, rules)
        scheduled = game_of("random", "mc:sims=2")
        once, again = (play_game(game, scheduled, Conditions(max_plies=40)) for _ in range(2))
        assert once.record == again.record
        assert once.players == ("random", "mc:sims=2")
        other = play_game(game, replace(scheduled, seeds=(7, 8)), Conditions(max_plies=40))
        assert other.record.actions != once.record.actions


@pytest.mark.parametrize(
    ("player", "reason"),
    [
        ("crash", "RuntimeError: out of ideas"),
        ("complain", "no network file"),
        ("cheat", "illegal action 0"),
        ("nonsense", "TypeError"),
        ("missing", "OSError: no such program"),
    ],
)
@pytest.mark.parametrize("role", [0, 1])
def test_illegal_move_forfeits(player: str, reason: str, role: int) -> None:
    pair = (player, "plain") if role == 0 else ("plain", player)
    played = play_game(DRAUGHTS, game_of(*pair), Conditions())
    assert (played.record.result, played.forfeited_by) == (1 - role, role)
    assert played.record.reason.startswith(f"{DRAUGHTS.roles[role]} forfeit: {reason}")
    assert "\n" not in played.record.reason
    assert len(played.record.actions) == role
    list(played.record.positions())
    assert Scripted.closed == (1 if player == "missing" and role == 1 else role + (player != "missing"))


def test_flag_fall_forfeits() -> None:
    played = play_game(DRAUGHTS, game_of("sleep", "plain"), Conditions(clock=Clock(0.5, 0.0)))
    assert (played.record.result, played.forfeited_by) == (1, 0)
    assert "out of time" in played.record.reason
    assert 0.3 < sum(played.seconds) < 0.5
    played = play_game(DRAUGHTS, game_of("sleep", "plain"), Conditions(clock=Clock(0.5, 0.3), max_plies=10))
    assert played.record.result == DRAW


def test_player_within_its_share_keeps_its_clock() -> None:
    clock, left = Clock(1.0, 0.01), 1.0
    for _ in range(1000):
        share = clock.share(left)
        assert 0 < share + 0.004 < left  # it takes a little longer than its limit
        left += clock.increment - share - 0.004
    assert Conditions(clock=clock).limit(0.001).seconds == 0.001


def test_limit_of_the_spec_has_priority() -> None:
    short = Conditions(seconds=0.25, max_plies=1)
    play_game(DRAUGHTS, game_of("plain", "plain"), short)
    assert Scripted.last_limit == Limit(seconds=0.25)
    play_game(DRAUGHTS, game_of("plain:time=2s", "plain"), short)
    assert Scripted.last_limit == Limit()
    play_game(DRAUGHTS, game_of("plain", "plain"), Conditions(clock=Clock(50.0, 1.0), max_plies=1))
    assert Scripted.last_limit == Limit(seconds=(50.0 - 0.05) / 25 + 0.75)
    play_game(DRAUGHTS, game_of("plain", "plain"), Conditions(clock=Clock(50.0, 1.0), seconds=2.0, max_plies=1))
    assert Scripted.last_limit == Limit(seconds=2.0)


def test_draw_by_length() -> None:
    played = play_game(DRAUGHTS, game_of("plain", "plain"), Conditions(max_plies=6))
    assert (played.record.result, played.record.reason) == (DRAW, "adjudicated: 6 plies")
    assert list(played.record.positions())[-1].plies == 6


def test_adjudication_by_the_endgame_tables() -> None:
    won, drawn = Beginning("B:WK1:BK10,K15"), Beginning("B:WK1:BK32")
    played = play_game(DRAUGHTS, game_of("plain", "plain", won), Conditions(adjudicate=True))
    assert played.record.result == 0
    assert played.record.reason.startswith("adjudicated: endgame tables, ")
    played = play_game(DRAUGHTS, game_of("plain", "plain", drawn), Conditions(adjudicate=True))
    assert (played.record.result, played.record.reason) == (DRAW, "adjudicated: endgame tables")
    played = play_game(DRAUGHTS, game_of("plain", "plain", won), Conditions())
    assert "tables" not in played.record.reason


def test_record_keeps_the_first_position() -> None:
    played = play_game(DRAUGHTS, game_of("plain", "plain", Beginning("B:W21:B1,K5")), Conditions(max_plies=30))
    assert played.record.start == "B:W21:B1,K5"
    assert next(played.record.positions()).text == "B:W21:B1,K5"


def test_clocks_as_text() -> None:
    assert parse_clock("60s+1s") == Clock(60.0, 1.0)
    assert parse_clock("500ms") == parse_clock("500ms+0s") == parse_clock("0.5+0") == Clock(0.5, 0.0)
    for text in ("", "60s+", "a", "1+2+3", "-1s"):
        with pytest.raises(BoardwrightError, match="60s\\+1s"):
            parse_clock(text)
