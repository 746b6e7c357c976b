"""The endgame tables: published figures, proof by moves, and files that are refused when they are not whole."""

import json
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import boardwright
from boardwright.errors import BoardwrightError, PositionError
from boardwright.games.base import Position
from boardwright.games.draughts.endgames.tablebase import (
    SHIPPED,
    BuildStep,
    Probe,
    Tablebase,
    TablebaseError,
    build,
)

FIGURES = {
    2: (3_488, 716, 2_370, 402, 13),
    3: (196_032, 100_250, 8_477, 87_305, 61),
    4: (6_209_316, 2_574_304, 1_717_922, 1_917_090, 109),
}
SLICES = {"K-K": (230, 654, 108), "KK-K": (14_846, 34, 0), "KK-KK": (58_361, 153_456, 3_943)}
MAIN = "from boardwright.cli.main import main; main()"
CROWN_ROWS = (0xF0000000, 0x0000000F)


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """Tables to 4 pieces, built for these tests; not to be changed."""
    folder = tmp_path_factory.mktemp("tables")
    build(4, folder)
    return folder


@pytest.fixture(scope="session")
def tables(built) -> Tablebase:
    return Tablebase(built)


def table_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def random_position(source: random.Random, pieces: int) -> tuple[int, int, int, int]:
    """Black, white, kings and role to move; both sides have pieces."""
    while True:
        sides, kings = [0, 0], 0
        for square in source.sample(range(32), pieces):
            side, bit = source.randrange(2), 1 << square
            sides[side] |= bit
            if bit & CROWN_ROWS[side] or source.random() < 0.5:
                kings |= bit
        if sides[0] and sides[1]:
            return sides[0], sides[1], kings, source.randrange(2)


def position_of(black: int, white: int, kings: int, role: int) -> Position:
    def listed(bits: int) -> str:
        return ",".join(f"{'K' if kings >> s & 1 else ''}{s + 1}" for s in range(32) if bits >> s & 1)

    return boardwright.game("draughts").position(f"{'BW'[role]}:W{listed(white)}:B{listed(black)}")


# Figures and proof


@pytest.mark.parametrize("pieces", FIGURES)
def test_counts_are_the_published_ones(tables, pieces):
    found = tables.counts(pieces)
    assert (found.positions, found.wins, found.draws, found.losses, found.longest) == FIGURES[pieces]


@pytest.mark.parametrize("name", SLICES)
def test_figures_of_kings_alone(tables, name):
    found = tables._tables.slice_counts(name)
    assert (found.wins, found.draws, found.losses) == SLICES[name]
    assert found.positions == sum(SLICES[name])


def test_every_value_follows_from_its_moves(tables):
    assert tables.verify() == sum(figures[0] for figures in FIGURES.values())


def test_shipped_tables_equal_built_ones(built):
    assert table_bytes(SHIPPED) == table_bytes(built)


def test_one_thread_and_many_write_the_same_bytes(built, tmp_path):
    build(3, tmp_path / "one", threads=1)
    build(3, tmp_path / "many", threads=5)
    one = table_bytes(tmp_path / "one")
    assert one == table_bytes(tmp_path / "many")
    assert one.items() <= table_bytes(built).items()


# Probing


def wins_within(position: Position, plies: int) -> bool:
    return plies >= 1 and any(loses_within(position.play(move), plies - 1) for move in whole_moves(position))


def loses_within(position: Position, plies: int) -> bool:
    moves = whole_moves(position)
    return not moves or (plies >= 2 and all(wins_within(position.play(move), plies - 1) for move in moves))


def whole_moves(position: Position) -> list[str]:
    return [] if position.outcome is not None else position.moves()


def test_short_results_agree_with_a_plain_search(tables):
    source, seen = random.Random(1), dict.fromkeys(range(6), 0)
    while min(seen.values()) < 8:
        where = random_position(source, source.choice((2, 3, 3, 4, 4)))
        found = tables.probe(*where)
        if found.plies is None or found.plies > 5 or seen[found.plies] == 12:
            continue
        seen[found.plies] += 1
        within = wins_within if found.result == "win" else loses_within
        assert found.result == ("win" if found.plies % 2 else "loss")
        assert within(position_of(*where), found.plies)
        assert found.plies < 2 or not within(position_of(*where), found.plies - 2)


def test_plain_search_confirms_that_there_is_no_short_win(tables):
    source = random.Random(2)
    for _ in range(40):
        where = random_position(source, source.choice((2, 3, 4)))
        found = tables.probe(*where)
        if found.plies is None or found.plies > 3:
            assert not wins_within(position_of(*where), 3)
            assert not loses_within(position_of(*where), 2)


def test_inside_a_capture_the_capture_is_completed(tables):
    """Hop by hop, the best hop is worth what the whole move is."""
    source, inside = random.Random(3), 0
    while inside < 20:
        where = random_position(source, 4)
        position = position_of(*where)
        if position.outcome is not None:
            continue
        worth = []
        for action in position.legal_actions():
            after = position.play(action)
            core: Any = after.core
            if core.continuing:
                inside += 1
                worth.append(tables.probe_position(after))
                assert tables.ranked_moves(after)[0][1] == worth[-1]
            else:
                worth.append(tables.probe(core.black, core.white, core.kings, 1 - where[3]).before_the_move())
        assert max(worth, key=Probe.rank) == tables.probe(*where) == tables.ranked_moves(position)[0][1]


def test_colours_do_not_matter(tables):
    def turned(bits: int) -> int:
        return int(f"{bits:032b}"[::-1], 2)

    source = random.Random(4)
    for _ in range(200):
        black, white, kings, role = random_position(source, 4)
        found = tables.probe(black, white, kings, role)
        assert found == tables.probe(turned(white), turned(black), turned(kings), 1 - role)


def test_side_without_pieces_has_lost(tables):
    assert tables.probe(0, 1, 1, 0) == Probe("loss", 0)
    assert tables.probe(0, 1, 1, 1) == Probe("win", 1)


@pytest.mark.parametrize(
    ("where", "complaint"),
    [
        ((0x1F, 1 << 20, 0, 0), "6 pieces, the tables go to 4: build larger"),
        ((0xFF, 1 << 20, 0, 0), "9 pieces, the tables go to 4, and none can have more than 6"),
        ((1, 1, 1, 0), "contradict"),
        ((1, 2, 4, 0), "contradict"),
        ((1 << 31, 1 << 20, 0, 0), "crowning row"),
        ((1, 1 << 20, 0, 2), "role"),
        ((1, 1 << 20, 0, 0, 1), "cannot"),
        ((1, 1 << 20, 0, 0, 33), "square"),
        ((1, 1 << 40, 0, 0), "invalid position"),
        ((-1, 1, 0, 0), "invalid position"),
    ],
)
def test_invalid_position_is_refused(tables, where, complaint):
    with pytest.raises(PositionError, match=complaint) as caught:
        tables.probe(*where)
    assert "\n" not in str(caught.value)


# Files


@pytest.fixture
def small(built, tmp_path) -> Path:
    """A folder with tables to 3 pieces, to be spoilt."""
    for name in ("K-K", "K-M", "M-M", "KK-K", "KK-M", "KM-K", "KM-M", "MM-K", "MM-M"):
        shutil.copy(built / f"{name}.table", tmp_path)
    assert Tablebase(tmp_path).pieces == 3
    return tmp_path


def assert_refused(folder: Path, name: str, why: str) -> None:
    with pytest.raises(TablebaseError) as caught:
        Tablebase(folder)
    message = str(caught.value)
    assert f"{folder / name} " in message
    assert why in message
    assert f"'boardwright tablebase build --pieces {len(name) - 7} --out {folder}'" in message
    assert "\n" not in message


def test_missing_file_is_named(small):
    (small / "KM-M.table").unlink()
    assert_refused(small, "KM-M.table", "is missing")


@pytest.mark.parametrize("kept", [0, 1, 39, 40, 47, 1000, -1])
def test_cut_file_is_refused(small, kept):
    path = small / "KK-K.table"
    path.write_bytes(path.read_bytes()[:kept])
    assert_refused(small, "KK-K.table", "is cut short")


def test_longer_file_is_refused(small):
    with (small / "KK-K.table").open("ab") as file:
        file.write(b"\0")
    assert_refused(small, "KK-K.table", "is damaged")


def test_every_altered_byte_is_noticed(small):
    path, source = small / "K-M.table", random.Random(5)
    whole = path.read_bytes()
    for place in range(len(whole)):
        altered = bytearray(whole)
        altered[place] ^= source.randrange(1, 256)
        path.write_bytes(altered)
        with pytest.raises(TablebaseError, match=r"K-M\.table .*build it again"):
            Tablebase(small, 2)


def test_file_of_another_material_is_refused(small):
    shutil.copy(small / "KK-M.table", small / "KK-K.table")
    assert_refused(small, "KK-K.table", "holds another material")


def test_file_of_another_kind_is_refused(small):
    (small / "KK-K.table").write_bytes(b"BWDTABLF" + bytes(100))
    assert_refused(small, "KK-K.table", "is no draughts table")


def checksum(file: bytes) -> int:
    """As the files have it: over the header with a sum of zero, then over the rest."""
    total = 0
    for part in (file[:24] + bytes(8) + file[32:40], file[40:]):
        for word in (len(part), *struct.unpack(f"<{len(part) // 8}Q", part), 0):
            total = (total ^ word) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
            total ^= total >> 32
    return total


def test_forged_file_is_never_read_out_of_bounds(small):
    """A file with a forged checksum gives wrong answers or an error, and no read is out of bounds."""
    path, source = small / "KK-K.table", random.Random(6)
    whole = path.read_bytes()
    assert struct.unpack_from("<Q", whole, 24)[0] == checksum(whole)
    refused = 0
    for _ in range(150):
        forged = bytearray(whole)
        for _ in range(source.randrange(1, 4)):
            forged[source.randrange(32, 400)] = source.choice((0, 1, 127, 255, source.randrange(256)))
        struct.pack_into("<Q", forged, 24, checksum(bytes(forged)))
        path.write_bytes(forged)
        try:
            spoilt = Tablebase(small)
        except TablebaseError:
            refused += 1
            continue
        for _ in range(5):
            spoilt.probe(*random_position(source, 3))
    assert 0 < refused < 150


def test_folder_without_tables(tmp_path):
    with pytest.raises(TablebaseError, match=r"no draughts tables in .*: build them with"):
        Tablebase(tmp_path)


def test_too_many_pieces_names_the_build_command():
    assert Tablebase().pieces == 4
    for too_much in (lambda: Tablebase(pieces=5), lambda: Tablebase().counts(5)):
        with pytest.raises(TablebaseError, match=r"(do not ship|go to 4 pieces): build larger ones with .*--pieces 5"):
            too_much()


def test_position_of_another_game_is_refused(tables):
    with pytest.raises(PositionError, match="position belongs to tablut, expected draughts"):
        tables.probe_position(boardwright.game("tablut").start())


# Building


def test_only_damaged_and_missing_files_are_built_again(small, built):
    kept = (small / "KK-M.table").stat().st_mtime_ns
    (small / "MM-M.table").unlink()
    (small / "KK-K.table").write_bytes(b"spoilt")
    steps: list[BuildStep] = []
    assert build(3, small, steps.append) == [small / "KK-K.table", small / "MM-M.table"]
    assert (small / "KK-M.table").stat().st_mtime_ns == kept
    assert table_bytes(small).items() <= table_bytes(built).items()
    assert steps[-1].done == steps[-1].total
    assert [step.wrote for step in steps if step.wrote] == [small / "KK-K.table", small / "MM-M.table"]
    assert build(3, small) == []


def test_killed_build_resumes(built, tmp_path):
    code = "import sys; from boardwright.games.draughts.endgames.tablebase import build; build(4, sys.argv[1])"
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
    while len(list(tmp_path.glob("*.table"))) < 12 and process.poll() is None:
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    finished = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.table")}
    written = build(4, tmp_path)
    assert not finished.keys() & set(written)
    assert all(path.stat().st_mtime_ns == when for path, when in finished.items())
    assert table_bytes(tmp_path) == table_bytes(built)


def test_interrupted_build_stops_at_once(tmp_path):
    arguments = ["tablebase", "build", "--pieces", "5", "--out", str(tmp_path)]
    # A shell that runs us in the background has us ignore the signal; the build must not inherit that.
    listening = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {MAIN}"
    process = subprocess.Popen([sys.executable, "-c", listening, *arguments], stdout=subprocess.DEVNULL)
    while len(list(tmp_path.glob("*.table"))) < 23 and process.poll() is None:
        time.sleep(0.05)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    assert time.monotonic() - begin < 10
    assert not list(tmp_path.glob("*.partial"))


def test_progress_callback_can_stop_a_build(tmp_path):
    def give_up(step: BuildStep) -> None:
        if step.table == "KK-K":
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        build(3, tmp_path, give_up)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["K-K.table", "K-M.table", "M-M.table"]


def test_concurrent_builds_are_refused(tmp_path):
    def build_again(step: BuildStep) -> None:
        with pytest.raises(TablebaseError, match=r"another build is running in .*: wait"):
            build(2, tmp_path)

    build(2, tmp_path, build_again)


def test_impossible_build_is_refused(tmp_path):
    with pytest.raises(BoardwrightError, match="from 2 to 6 pieces, not 7"):
        build(7, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(TablebaseError, match=r"cannot build tables in .*file"):
        build(2, tmp_path / "file")


# The command


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", MAIN, "tablebase", *arguments], capture_output=True, text=True)


def test_command_builds_and_counts(tmp_path):
    done = command("build", "--pieces", "2", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("wrote ") == 3
    assert "all files existed before" in command("build", "--pieces", "2", "--out", str(tmp_path)).stdout
    counted = json.loads(command("stats", "--pieces", "2", "--dir", str(tmp_path), "--json").stdout)
    assert tuple(counted.values()) == (2, *FIGURES[2])
    assert list(counted) == ["pieces", "positions", "wins", "draws", "losses", "longest"]


def test_command_probes_and_lists_the_moves():
    found = json.loads(command("probe", "B:WK1:BK10,K15", "--json").stdout)
    assert (found["to_move"], found["result"], found["plies"]) == ("black", "win", 19)
    assert found["moves"][0] == {"move": "10-14", "result": "win", "plies": 19}
    assert command("probe", "W:WK1:BK10,K15").stdout.startswith("white, to move, loses in 16 plies\n")
    assert command("probe", "B:WK1:BK32").stdout.startswith("black, to move, draws\n")


def test_command_fails_in_one_line():
    failed = command("probe", "W:WK1:BK10,K15,2-8")
    assert failed.returncode == 2
    assert failed.stderr.startswith("boardwright: the position has 10 pieces")
    assert failed.stderr.count("\n") == 1
