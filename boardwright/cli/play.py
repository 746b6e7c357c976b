"""Play against a built-in player in the terminal."""

import random
import sys
from dataclasses import dataclass
from typing import Annotated

from boardwright.agents.base import Agent, Choice, Limit, choose_move, move_actions
from boardwright.agents.players import make_agent
from boardwright.agents.specs import current_spec
from boardwright.cli.common import TEXT, InteractiveOptions, value
from boardwright.cli.games import how_to_play
from boardwright.errors import IllegalMoveError, UnknownNameError
from boardwright.games.base import CHANCE, Position
from boardwright.games.lines import move_text
from boardwright.views.terminal import render

HELP = """type a move such as {example}, or
  moves   list the legal moves      undo    take back your last move
  hint    ask the player's advice   resign  give up
  flip    change sides              help    this text
  text    print the position        rules   how the game is played
  quit    leave"""


@dataclass(frozen=True)
class Options(InteractiveOptions):
    """Which opponent, and which role."""

    agent: str = "alphabeta:time=1s"  # The opponent; `boardwright agents GAME` lists them.
    role: Annotated[str | None, value("ROLE", name="as")] = None  # Your role. Default: the one that moves first.
    position: TEXT[str | None] = None  # Position text to start from instead of the initial position.


def run(options: Options) -> None:
    """Plays until the game ends or the person quits."""
    bound = options.bound_game()
    if options.role is not None and options.role not in bound.roles:
        raise UnknownNameError("role", options.role, bound.roles)
    opponent = make_agent(options.agent, bound)
    position = bound.start() if options.position is None else bound.position(options.position)
    person = position.role_to_move if options.role is None else bound.roles.index(options.role)
    person = max(person, 0)
    history = [position]
    role, agent = bound.roles[person], current_spec(options.agent)
    print(f"{bound.title}, rule set {bound.rules.name}: you play {role} against {agent}.")
    print(_help(position))
    while history[-1].outcome is None:
        position = history[-1]
        if position.role_to_move == person:
            _draw(position)
            answer = _ask(position)
            if answer in ("quit", "resign"):
                print("You resign." if answer == "resign" else "Goodbye.")
                return
            if answer == "undo":
                history = _take_back(history, person)
            elif answer == "flip":
                person = 1 - person
            elif answer == "hint":
                print(f"hint: {_whole_move(opponent, position)[0]}")
            elif answer == "moves":
                print("  ".join(position.moves()))
            elif answer == "text":
                print(position.text)
            elif answer == "rules":
                print(how_to_play(bound))
            elif answer == "help":
                print(_help(position))
            else:
                try:
                    history.append(position.play(answer))
                except IllegalMoveError as error:
                    print(f"  {error}")
        elif position.role_to_move == CHANCE:
            drawn = random.choice(position.legal_actions())
            print(f"chance: {move_text(position, (drawn,))}")
            history.append(position.play(drawn))
        else:
            text, after, choice = _whole_move(opponent, position)
            thought = f", {choice.simulations:,} simulations" if choice.simulations else ""
            value = f", value {choice.value:+.2f}" if choice.value is not None else ""
            print(f"{bound.roles[position.role_to_move]}: {text}{value}{thought}")
            history.append(after)
    _draw(history[-1])
    outcome = history[-1].outcome
    assert outcome is not None
    if outcome.winner is None:
        print(f"A draw: {outcome.reason}.")
    else:
        praise = " Well played!" if outcome.winner == person else ""
        print(f"{bound.roles[outcome.winner].capitalize()} win: {outcome.reason}.{praise}")


def _whole_move(agent: Agent, position: Position) -> tuple[str, Position, Choice]:
    """(text, position after it, choice) of an agent's move, all its actions together."""
    choice = choose_move(agent, position, Limit())
    actions = move_actions(position, choice)
    return move_text(position, actions), position.play_all(actions), choice


def _help(position: Position) -> str:
    return HELP.format(example=position.moves()[0] if position.outcome is None else "…")


def _draw(position: Position) -> None:
    print(render(position.game.scene(position), colour=sys.stdout.isatty()))


def _ask(position: Position) -> str:
    """A line from the person; the end of input means quit."""
    try:
        answer = input(f"{position.game.roles[position.role_to_move]}> ").strip()
    except EOFError:
        print()
        return "quit"
    except UnicodeDecodeError:  # not text; perhaps a stray key
        return "help"
    return answer or "help"


def _take_back(history: list[Position], person: int) -> list[Position]:
    """The history before the person's last move."""
    for length in range(len(history) - 1, 0, -1):
        if history[length - 1].role_to_move == person:
            return history[:length]
    print("  there is nothing to take back")
    return history
