"""List, show, import and export stored games."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, subcommand

from boardwright.cli.common import (
    FILE,
    GAME,
    RULES,
    SPEC,
    JsonOption,
    N,
    hops,
    in_range,
    only_game,
    print_json,
    read_bytes,
    value,
    write_text,
)
from boardwright.errors import BoardwrightError, UnknownNameError, printable
from boardwright.games.base import DRAW, ONGOING, Position
from boardwright.games.lines import each_move, fill
from boardwright.games.record import GameRecord
from boardwright.games.registry import game_class
from boardwright.records.files import export_games, import_games
from boardwright.records.games import GameFilter, StoredGame, count_games, find_games
from boardwright.records.store import open_store

RESULTS = {"first": 0, "second": 1, "draw": DRAW, "unfinished": ONGOING}
MAX_GAMES = 10**9
WIDTH = 100  # of lines of moves, in characters
MAX_FILE_BYTES = 64 << 20
MAX_WARNINGS = 5  # problems of a file that are reported one by one


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Which games."""

    db: FILE[Path]  # Database of games.
    game: GAME[str | None] = None  # Only games of this game.
    rules: RULES[str | None] = None  # Only games under the rule set of this name.
    player: SPEC[str | None] = None  # Only games of this player, a spec or its name before the colon.
    result: Annotated[str | None, value("RESULT")] = None
    """Only games with this result: first, second (the role that won), draw or unfinished."""
    event: N[int | None] = None  # Only games of the match, tournament or imported file with this number.
    limit: N[int | None] = None  # Only the latest N games.

    def game_filter(self) -> GameFilter:
        """The filter these options describe; raises BoardwrightError."""
        if self.game is not None:
            game_class(self.game)  # raises if there is no such game
        if self.result is not None and self.result not in RESULTS:
            raise UnknownNameError("result", self.result, RESULTS)
        return GameFilter(
            game=self.game,
            rules=self.rules,
            player=self.player,
            result=None if self.result is None else RESULTS[self.result],
            event=in_range("--event", self.event, 1, MAX_GAMES),
            limit=in_range("--limit", self.limit, 1, MAX_GAMES),
        )


@dataclass(frozen=True, kw_only=True)
class List(Filters, JsonOption):
    """List games, one per line."""

    def run(self) -> None:
        """Prints one line per game, or JSON `{games: [{id, event, index, game, rules, players, result, …}]}`."""
        chosen = self.game_filter()
        with open_store(self.db, create=False) as store:
            damaged: list[str] = []
            games = find_games(store, chosen, damaged)
            if self.json:
                print_json({"games": [_summary(stored) for stored in games]})
            else:
                for stored in games:
                    played, record = stored.played, stored.played.record
                    words = (f"{record.game} {record.rules.name}", " - ".join(played.players), _ending(record))
                    print(printable("  ".join([f"{stored.id:>6}", *words, stored.stored])))
        _print_warnings(damaged, "left out")


@dataclass(frozen=True)
class Show(JsonOption):
    """Show one game: its moves and final position."""

    id: Positional[int]  # Number of the game, as `list` shows it.
    db: FILE[Path]  # Database of games.

    def run(self) -> None:
        """Prints header, moves and position, or JSON: the summary with actions, moves, seconds, opening, position."""
        with open_store(self.db, create=False) as store:
            stored = next(find_games(store, GameFilter(id=in_range("the game's number", self.id, 1, MAX_GAMES))), None)
        if stored is None:
            raise BoardwrightError(f"{self.db} has no game {self.id}: `boardwright games-db list` shows all")
        played, record = stored.played, stored.played.record
        positions = list(record.positions())
        moves, last = list(_moves(positions[0], record.actions)), positions[-1]
        if self.json:
            fields = _summary(stored) | {"start": record.start, "actions": list(record.actions), "moves": moves}
            fields |= {"opening": played.opening, "seconds": list(played.seconds), "position": last.text}
            print_json(fields | {"tags": dict(record.tags)})
            return
        from boardwright.views.terminal import render

        print(printable(f"game {stored.id}: {record.game}, rule set {record.rules.name}, stored {stored.stored}"))
        for role, player in zip(last.game.roles, played.players, strict=True):
            print(f"  {role}: {printable(player)}")
        print("  " + "\n  ".join(fill(moves, WIDTH, "  ")))
        print(render(last.game.scene(last), colour=sys.stdout.isatty()))
        print(_ending(record))


@dataclass(frozen=True, kw_only=True)
class Export(Filters):
    """Write games to a file in the format of their game."""

    out: FILE[Path | None] = None  # File to write. Default: print.

    def run(self) -> None:
        """Writes a file, or prints its text."""
        chosen = self.game_filter()
        with open_store(self.db, create=False) as store:
            damaged: list[str] = []
            game = only_game([*count_games(store, chosen)], self.db, "no games match, nothing to export")
            text, problems = export_games(find_games(store, chosen, damaged), game)
        if self.out is None:
            print("\n".join(map(printable, text.split("\n"))) if sys.stdout.isatty() else text, end="")
        else:
            write_text(self.out, text)
            print(f"wrote {self.out}")
        _print_warnings(damaged + problems, "left out")


@dataclass(frozen=True)
class Import(JsonOption):
    """Store the games of a file. Games stored before are skipped."""

    file: Positional[Path]  # A file in the game's own format.
    db: FILE[Path]  # Database of games, made if missing.
    game: GAME[str]  # The game whose format the file has.

    def run(self) -> None:
        """Prints how many games were stored, or JSON `{stored, known, errors: [text …]}`."""
        game_class(self.game)  # raises if there is no such game
        data = read_bytes(self.file, MAX_FILE_BYTES)
        with open_store(self.db, create=True) as store:
            imported = import_games(store, self.game, data)
        if not imported.stored and not imported.known:
            fault = str(imported.errors[0]) if imported.errors else "it contains no games"
            raise BoardwrightError(f"{self.file} cannot be imported: {fault}")
        if self.json:
            errors = [str(error) for error in imported.errors]
            print_json({"stored": imported.stored, "known": imported.known, "errors": errors})
            return
        known = f", {imported.known} were stored before" if imported.known else ""
        print(f"stored {imported.stored} games in {self.db}{known}")
        _print_warnings([str(error) for error in imported.errors], "not stored")


Options = (
    Annotated[List, subcommand("list")]
    | Annotated[Show, subcommand("show")]
    | Annotated[Export, subcommand("export")]
    | Annotated[Import, subcommand("import")]
)


def run(options: List | Show | Export | Import) -> None:
    """Runs the chosen action."""
    options.run()


def _summary(stored: StoredGame) -> dict[str, Any]:
    """The fields of a game in JSON, without its moves."""
    played, record = stored.played, stored.played.record
    roles = game_class(record.game).roles
    return {
        "id": stored.id,
        "event": stored.event,
        "index": played.index,
        "game": record.game,
        "rules": record.rules.name,
        "players": dict(zip(roles, played.players, strict=True)),
        "versions": dict(zip(roles, stored.versions, strict=True)),
        "result": next(word for word, number in RESULTS.items() if number == record.result),
        "reason": record.reason,
        "forfeited_by": None if played.forfeited_by is None else roles[played.forfeited_by],
        "actions": len(record.actions),
        "stored": stored.stored,
    }


def _ending(record: GameRecord) -> str:
    roles = game_class(record.game).roles
    words = (f"{roles[0]} won", f"{roles[1]} won", "draw", "not finished")
    return words[record.result] + (f": {printable(record.reason)}" if record.reason else "")


def _moves(start: Position, line: tuple[int, ...]) -> Iterator[str]:
    """The texts of the moves; several actions of one capture are one move."""
    for before, actions in each_move(start, line):
        whole = (move.text for move in before.game.moves(before.core) if move.actions == actions)
        yield next(whole, None) or hops(before, actions)


def _print_warnings(problems: list[str], fate: str) -> None:
    """Prints a warning on stderr for each skipped game."""
    for problem in problems[:MAX_WARNINGS]:
        print(f"boardwright: warning: {fate}: {printable(problem)}", file=sys.stderr)
    if len(problems) > MAX_WARNINGS:
        print(f"boardwright: warning: and {len(problems) - MAX_WARNINGS} more {fate}", file=sys.stderr)
