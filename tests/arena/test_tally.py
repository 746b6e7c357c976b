"""What games add up to: points, pairs, time, and the table of a tournament."""

from itertools import islice

import boardwright
from boardwright.arena.backends import play
from boardwright.arena.event import PlayedGame
from boardwright.arena.tally import encounters, match_tally, pair_points, points, tallies
from boardwright.games.base import DRAW
from boardwright.games.record import GameRecord
from boardwright.stats.pairings import crosstable
from boardwright.stats.score import Score

GAME = boardwright.game("draughts")


def played(moves: str, result: int, index: int = 0, **more) -> PlayedGame:
    position = GAME.start()
    for move in moves.split():
        position = position.play(move)
    record = GameRecord(game="draughts", rules=GAME.rules, actions=tuple(position.actions()), result=result)
    seconds = tuple(float(number + 1) for number in range(len(record.actions)))
    return PlayedGame(record=record, players=("a", "b"), seconds=seconds, index=index, **more)


def test_time_counts_own_moves_only() -> None:
    game = played("11-15 22-18 15x22 25x18", 0, opening=1)
    black, white = tallies(game)
    assert (black.score, white.score) == (Score(1, 0, 0), Score(0, 0, 1))
    assert (black.moves, black.seconds, black.longest) == (1, 3.0, 3.0)
    assert (white.moves, white.seconds, white.longest) == (2, 6.0, 4.0)
    assert black.plies == white.plies == 4
    assert white.seconds_per_move == 3.0


def test_a_capture_in_several_hops_is_one_move() -> None:
    start = "W:W22,32:B18,11"
    position = GAME.position(start).play("22x8")
    record = GameRecord.of(position, start=start)
    game = PlayedGame(record=record, players=("a", "b"), seconds=(2.0, 0.0))
    assert (tallies(game)[1].moves, tallies(game)[1].seconds) == (1, 2.0)


def test_a_match_is_counted_from_the_side_of_a() -> None:
    games = [
        played("11-15", 0, 0),
        played("11-15", 0, 1),
        played("11-15", DRAW, 2),
        played("11-15", 1, 3, forfeited_by=0),
    ]
    counted = match_tally(games)
    assert [side.score for side in counted.a] == [Score(1, 1, 0), Score(1, 0, 1)]
    assert (counted.b.score, counted.b.forfeits) == (Score(1, 1, 2), 1)
    assert pair_points(reversed(games)) == [(1.0, 0.0), (0.5, 1.0)]
    assert pair_points(games[:3]) == [(1.0, 0.0), (0.5,)]
    assert [points(game, 1) for game in games] == [0.0, 0.0, 0.5, 1.0]


def test_a_crosstable_is_complete_and_symmetric(event) -> None:
    tournament = event("mc:sims=8", "random", "first-legal")
    games = list(play(tournament, islice(tournament.schedule(), 24)))
    rows = crosstable(encounters(games))
    assert [row.total.games for row in rows] == [16, 16, 16]
    assert [row.total.share for row in rows] == sorted((row.total.share for row in rows), reverse=True)
    cells = {(row.name, other): cell for row in rows for other, cell in row.against.items()}
    for (name, other), cell in cells.items():
        mirrored = cells[other, name]
        assert (cell.wins, cell.draws, cell.losses) == (mirrored.losses, mirrored.draws, mirrored.wins)
    assert len(encounters(games)) == 24


def test_a_game_may_begin_in_the_middle_of_a_capture() -> None:
    start = "B:W18,26,32:B15,1:X15"
    position = GAME.position(start)
    position = position.play(position.moves()[0])
    record = GameRecord.of(position, start=start)
    assert len(record.actions) == 2
    black, white = tallies(PlayedGame(record=record, players=("a", "b"), seconds=(2.0, 1.0)))
    assert (black.moves, black.seconds, white.moves) == (1, 3.0, 0)
