"""Lines of actions as whole moves, in the game where a move may be several of them."""

import boardwright
from boardwright.games.lines import whole_moves

DRAUGHTS = boardwright.game("draughts")


def test_partial_move_is_completed_where_it_is_unique() -> None:
    start = "B:W15,23,32:B1,11"
    position = DRAUGHTS.position(start)
    (actions,) = [move.actions for move in DRAUGHTS.moves(position.core) if move.text == "11x27"]
    assert len(actions) == 2
    for line in (actions, actions[:1]):
        (found,) = whole_moves(position, line)
        assert (found[0], found[1]) == (position, actions)
    after = position.play(actions[0]).play(actions[1])
    reply = DRAUGHTS.moves(after.core)[0].actions
    found = [(before.text, moved) for before, moved in whole_moves(position, (*actions, *reply))]
    assert found == [(start, actions), (after.text, reply)]
    assert whole_moves(position, ()) == []


def test_ambiguous_move_is_left_out() -> None:
    start = "W:WK10:B14,15,22,23,24"
    position = DRAUGHTS.position(start)
    moves = {move.text: move.actions for move in DRAUGHTS.moves(position.core)}
    assert whole_moves(position, moves["10x19x28"][:1]) == []
    assert whole_moves(position, moves["10x19x28"]) == [(position, moves["10x19x28"])]
