"""List the legal moves of a position."""

from boardwright.cli.choose import PositionOptions, print_json

Options = PositionOptions


def run(options: PositionOptions) -> None:
    """Prints a move and its action number a line, or JSON `{moves: [text …], actions: [number …]}`."""
    position = options.chosen_position()
    moves, actions = position.moves(), position.legal_actions()
    if options.json:
        print_json({"moves": moves, "actions": actions})
        return
    if position.outcome is not None:
        print(f"no legal moves, the game is over: {position.outcome.reason}")
    for move, action in zip(moves, actions, strict=True):
        print(f"{move:<12} {action}")
