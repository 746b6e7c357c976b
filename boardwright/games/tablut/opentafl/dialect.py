"""Client side of OpenTafl's engine protocol."""

from dataclasses import replace

from boardwright.agents.base import Choice
from boardwright.agents.dialects import MoveRequest, Thinking
from boardwright.agents.pipe import Pipe, ProgramError
from boardwright.games.base import Game, Position
from boardwright.games.tablut.opentafl import words
from boardwright.games.tablut.opentafl.rulerecord import rules_record


class OpenTaflDialect:
    """The client.

    The protocol cannot send a position in the middle of a game, so a game that starts there is sent as rules with
    that start. It has no limits of nodes or depth.
    """

    farewell, stop = "goodbye", None

    def __init__(self) -> None:
        self._said: dict[str, str] = {}  # the last line by its first word, which the program may ask for again
        self._known: Position | None = None  # what the program has on its board

    def greet(self, pipe: Pipe, game: Game, deadline: float) -> None:
        """Waits for the program's greeting."""
        while (pipe.receive(deadline) or "").split(" ")[0] != "hello":
            pass

    def ask(self, pipe: Pipe, request: MoveRequest) -> None:
        """Sends the moves since the last request, the clock, and `play`."""
        position, moves = request.position, list(request.moves)
        side = position.game.roles[position.role_to_move]
        known, hashes = self._known and self._known.hash, [before.hash for before, _ in moves]
        if known in hashes[:-1] or known not in hashes[-1:]:
            rules = replace(position.game.rules, start=words.board_text(position), first=side)
            for line in (f"rules {rules_record(rules)}", f"side {side}", "start"):
                self._say(pipe, line)
        else:
            before, (action,) = moves[-1]
            pipe.send(f"opponent-move {words.move_text(before, action)} {words.board_text(position)}")
        if request.limit.seconds is not None:  # an overtime period a move, always the same
            millis = round(request.limit.seconds * 1000)
            self._say(pipe, f"clock {millis}* {millis}* {max(1, round(millis / 1000))} 99 99")
        pipe.send(f"play {side}")

    def read(self, pipe: Pipe, line: str, request: MoveRequest) -> Choice | Thinking | None:
        """`move`, `error -1` and requests to repeat something; all else is ignored."""
        word, _, rest = line.partition(" ")
        if word == "move":
            position = request.position
            (action,) = position.game.parse_move(position.core, rest.strip())
            self._known = position.play(action)
            pipe.send(f"move {words.board_text(self._known)}")
            return Choice(action)
        if word == "error" and rest.startswith("-1"):
            raise ProgramError(f"engine {pipe.command!r}: {rest.removeprefix('-1').strip() or 'a critical error'}")
        if word in self._said:
            pipe.send(self._said[word])
        elif word == "position":
            pipe.send(f"position {words.board_text(request.position)}")
        return None

    def _say(self, pipe: Pipe, line: str) -> None:
        self._said[line.partition(" ")[0]] = line
        pipe.send(line)
