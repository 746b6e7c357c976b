"""Engine side of OpenTafl's protocol for programs that play tafl games.

The program says `hello`; OpenTafl sends the rules, the side and, turn by turn, the opponent's move, the clock
and `play`. The protocol's text says that the clock comes after `play`, OpenTafl itself sends it before: we
wait a moment for it. Rules that we cannot play are a critical error, which ends the game.
"""

import re
import threading
from collections.abc import Callable

from boardwright.agents.base import Limit
from boardwright.agents.specs import whole
from boardwright.arena.event import Clock
from boardwright.errors import BoardwrightError
from boardwright.games.base import Game, Position
from boardwright.games.registry import game
from boardwright.games.tablut.opentafl.rulerecord import read_rules, rules_record
from boardwright.games.tablut.opentafl.words import board_text, move_text
from boardwright.protocols.session import Engine, Thought

MOMENT = 0.1  # seconds in which a clock may follow `play`
SAFETY = 0.9  # of an overtime period is used
_CRITICAL = "error -1"
_CLOCK = re.compile(r"(-?\d{1,12})(\*?) (-?\d{1,12})(\*?) (-?\d{1,9}) (-?\d{1,9}) (-?\d{1,9})", re.ASCII)


class OpenTaflProtocol(Engine):
    """The engine side of the protocol, which speaks first."""

    def __init__(self, bound: Game, spec: str, write: Callable[[str], None]):
        super().__init__(bound, spec, write)
        self._limit: Limit | None = None  # by the last clock, until it was used
        self._asked: threading.Event | None = None  # unset while we wait for a clock after `play`
        self._waiting: threading.Thread | None = None  # the last that did
        self._side_analysed: int | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            "rules": self._rules,
            "position": self._position,
            "side": self._side,
            "clock": self._clock,
            "opponent-move": self._opponent,
            "play": self._play,
            "move": self._confirm,
            "analyze": self._analyze,
            "finish": lambda rest: self._settle(),
        }
        write("hello")

    def handle(self, line: str) -> bool:
        """Handles one line, ignoring unknown commands; returns False on `quit`."""
        word, _, rest = line.strip().partition(" ")
        if word == "goodbye":
            return False
        try:
            if word in self._commands:
                self._commands[word](rest.strip())
        except BoardwrightError as error:
            self._write(f"{_CRITICAL} {error}")
        return True

    def close(self) -> None:
        """Stops a search, waits for its answer, and frees the player."""
        if self._asked is not None:
            self._asked.set()
        if self._waiting is not None:
            self._waiting.join()
        super().close()

    def _rules(self, record: str) -> None:
        self._settle()
        known = self.session.game.rules
        given, ours = (read_rules(text, "record", "") for text in (record, rules_record(known)))
        self.session.start_game(game("tablut", known if given == ours else read_rules(record, None, "")))

    def _side(self, side: str) -> None:
        """In analysis that is whose turn it is; in a game it is ours, which `play` repeats."""
        self._side_analysed = self._role(side)

    def _position(self, board: str) -> None:
        self._settle()
        self._take_board(board, self.session.position.role_to_move)

    def _opponent(self, rest: str) -> None:
        self._settle()
        moves, _, board = rest.partition(" ")
        position = self.session.position
        try:
            for move in moves.split("|"):
                position = position.play(move)
        except BoardwrightError:  # a move repeated after our error, or a board we were not shown: take the board
            if not board:
                raise
        self._take_board(board, 1 - self.session.position.role_to_move, position)

    def _confirm(self, board: str) -> None:
        self._settle()
        self._take_board(board, self.session.position.role_to_move, self.session.position)

    def _take_board(self, board: str, role: int, expected: Position | None = None) -> None:
        """Goes to the position of a board, unless the expected one has it or no board is given."""
        if expected is None or (board and board_text(expected) != board):
            expected = self.session.game.position(f"{board} {'ad'[role]}")
        self.session.position = expected

    def _clock(self, rest: str) -> None:
        match = _CLOCK.fullmatch(" ".join(rest.split()))
        if match is None:
            return
        role = self.session.position.role_to_move
        millis, star = int(match[1 + 2 * role]), match[2 + 2 * role]
        overtime, overtimes = int(match[5]), int(match[6 + role])
        if star or (millis <= 0 and overtime > 0):
            self._limit = Limit(seconds=max(SAFETY * (millis if millis > 0 else overtime * 1000) / 1000, 0.01))
        elif millis > 0:
            left = millis / 1000
            spare = SAFETY * overtime if overtimes > 0 else 0.0
            self._limit = Limit(seconds=max(Clock(left).share(left), spare, 0.01))
        if self._asked is not None:
            self._asked.set()

    def _play(self, side: str) -> None:
        self._settle()
        role = self._role(side)
        if self.session.position.role_to_move != role:
            self._take_board(board_text(self.session.position), role)
        self._asked = threading.Event()
        if self._limit is not None:
            self._asked.set()
        self._waiting = threading.Thread(target=self._begin, args=(self._asked,), daemon=True)
        self._waiting.start()

    def _begin(self, asked: threading.Event) -> None:
        asked.wait(MOMENT)
        if self._asked is not asked:  # settled meanwhile
            return
        self._asked = None
        limit, self._limit = self._limit or Limit(), None
        try:
            self.session.think(limit, lambda thought: None, self._answer)
        except BoardwrightError as error:
            self._write(f"{_CRITICAL} {error}")

    def _answer(self, result: Thought | BoardwrightError) -> None:
        if isinstance(result, BoardwrightError):
            self._write(f"{_CRITICAL} {result}")
            return
        before, (action,) = result.line[0]
        self.session.position = before.play(action)
        self._write(f"move {move_text(before, action)}")

    def _analyze(self, rest: str) -> None:
        try:
            _, seconds = map(whole(1, 10**6), rest.split())
        except ValueError:
            raise BoardwrightError(f"analyze {rest[:40]!r}: expected a number of moves and of seconds") from None
        if self._side_analysed not in (None, self.session.position.role_to_move):
            self._take_board(board_text(self.session.position), self._side_analysed)
        self.session.think(Limit(seconds=float(seconds)), lambda thought: None, self._answer_analysis)

    def _answer_analysis(self, result: Thought | BoardwrightError) -> None:
        if isinstance(result, BoardwrightError):
            self._write(f"error 0 {result}")
            return
        line = "|".join(move_text(before, action) for before, (action,) in result.line)
        self._write(f"analysis 1 {line} {result.choice.value or 0.0:.4f}")

    def _settle(self) -> None:
        """Cancels a search that is no longer needed."""
        self._asked = None
        self.session.abandon()

    def _role(self, side: str) -> int:
        if side not in self.session.game.roles:
            raise BoardwrightError(f"side {side!r}: expected attackers or defenders")
        return self.session.game.roles.index(side)
