"""List the legal moves of a position."""

from boardwright.cli.common import PositionOptions, print_json

Options = PositionOptions


def run(options: PositionOptions) -> None:
    """Prints each move with its action numbers, or JSON `{moves: [text …], actions: [number …]}`.

    `actions` are the numbers legal now; a move that takes several actions begins with one of them.
    """
    position = options.chosen_position()
    moves = position.game.moves(position.core)
    if options.json:
        print_json({"moves": [move.text for move in moves], "actions": position.legal_actions()})
        return
    if position.outcome is not None:
        print(f"no legal moves, the game is over: {position.outcome.reason}")
    for move in moves:
        print(f"{move.text:<12} {','.join(map(str, move.actions))}")
