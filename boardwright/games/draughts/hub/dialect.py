"""Client side of the Hub protocol of draughts programs."""

from boardwright.agents.base import Choice
from boardwright.agents.dialects import MoveRequest, Thinking
from boardwright.agents.pipe import Pipe, ProgramError
from boardwright.games.base import Game
from boardwright.games.draughts.hub import words


class HubDialect:
    """The client; variant `english`."""

    farewell, stop = "quit", "stop"

    def greet(self, pipe: Pipe, game: Game, deadline: float) -> None:
        """Sends `hub` and the variant, and waits until the program is ready."""
        pipe.send("hub")
        variants = ""
        while True:
            command, arguments = words.parse_line(pipe.receive(deadline) or "")
            if command == "param" and arguments.get("name") == "variant":
                variants = arguments.get("values", "")
            if command == "wait":
                break
        if variants and words.VARIANT not in variants.split():
            raise ProgramError(f"engine {pipe.command!r} plays {variants}, but not {words.VARIANT} draughts")
        pipe.send(f"set-param name=variant value={words.VARIANT}")
        pipe.send("init")
        while words.parse_line(pipe.receive(deadline) or "")[0] != "ready":
            pass

    def ask(self, pipe: Pipe, request: MoveRequest) -> None:
        """Sends the position with its history, the level, and `go think`."""
        moves = " ".join(words.move_text(*move) for move in request.moves)
        pipe.send(f"pos pos={words.position_text(request.base)}" + (f' moves="{moves}"' if moves else ""))
        limit = request.limit
        if limit.seconds is not None:
            pipe.send(f"level move-time={limit.seconds:.6f}")
        elif limit.depth is not None:
            pipe.send(f"level depth={limit.depth}")
        elif limit.nodes is not None:
            pipe.send(f"level nodes={limit.nodes}")
        pipe.send("go think")

    def read(self, pipe: Pipe, line: str, request: MoveRequest) -> Choice | Thinking | None:
        """`done` and `error`; all else is ignored."""
        command, arguments = words.parse_line(line)
        if command == "done":
            actions = words.parse_move(request.position, arguments.get("move", ""))
            return Choice(actions[0], line=actions)
        if command == "error":
            raise ProgramError(f"engine {pipe.command!r}: {arguments.get('message', 'an error without a message')}")
        return None
