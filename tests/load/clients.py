"""Many people playing at once against a server of its own, on this machine only. Run by hand:

    python tests/load/clients.py --clients 200 --minutes 10

Every client opens a page's socket, plays games against `random` one after the other, and thinks a while before each
move, as a person would. Printed: how long moves took to be answered (from sending the move until the player's answer
has come over the socket), games that were lost or garbled, and the server's memory and processes before and after.
It exits with 1 if a game was lost, a process leaked or the median is above 200 ms.
"""

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic_core import from_json
from websockets.asyncio.client import connect

MEDIAN_SECONDS = 0.2  # that moves may take
ANSWER_SECONDS = 30.0  # after which a move counts as unanswered


@dataclass
class Findings:
    """What all clients together have seen."""

    answers: list[float] = field(default_factory=list)  # seconds
    games: dict[str, list[int]] = field(default_factory=dict)  # by id: the actions last seen
    finished: int = 0
    problems: list[str] = field(default_factory=list)


class Connection:
    """Requests over one kept connection: no more than this needs, so that 200 of them leave the server the machine."""

    def __init__(self, host: str, port: int):
        self._host, self._port = host, port
        self._lines: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and answer."""
        if self._lines is None:
            self._lines = await asyncio.open_connection(self._host, self._port, limit=1 << 22)
        reader, writer = self._lines
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
        headers = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", headers, re.IGNORECASE)
        assert length, headers
        return int(headers.split()[1]), from_json(await reader.readexactly(int(length[1])))

    def close(self) -> None:
        """Hangs up."""
        if self._lines is not None:
            self._lines[1].close()


async def play_on(address: str, game: str, think: float, end: float, seed: int, findings: Findings) -> None:
    """One client, until the time is over."""
    chance = random.Random(seed)
    place = urlsplit(address)
    assert place.hostname is not None
    assert place.port is not None
    server = Connection(place.hostname, place.port)
    await asyncio.sleep(chance.uniform(0, think))
    async with connect(f"ws://{place.netloc}/ws", max_size=1 << 22, compression=None, open_timeout=30) as socket:
        while time.monotonic() < end:
            query = {"game": game, "opponent": "random", "role": "random"}
            status, live = await server.ask("POST", "/api/play", query)
            if status != 200:
                findings.problems.append(f"no game: {live}")
                await asyncio.sleep(think)
                continue
            await socket.send(json.dumps({"type": "watch", "game": live["id"]}))
            await play_game(server, socket, live, chance, think, end, findings)
            await socket.send(json.dumps({"type": "unwatch", "game": live["id"]}))
    server.close()


async def play_game(
    server: Connection, socket: Any, live: dict, chance: random.Random, think: float, end: float, findings: Findings
) -> None:
    """One game, to its end or that of the time."""
    name = live["id"]
    live = await answered(socket, name, -1, findings) or live
    while time.monotonic() < end:
        findings.games[name] = live["view"]["actions"]
        if live["result"] is not None:
            findings.finished += 1
            return
        await asyncio.sleep(think * chance.uniform(0.5, 1.5))
        move = {"actions": chance.choice(live["view"]["legal"])["actions"], "version": live["version"]}
        began = time.monotonic()
        status, moved = await server.ask("POST", f"/api/play/{name}/move", move)
        if status != 200:
            findings.problems.append(f"move refused: {moved}")
            return
        answer = await answered(socket, name, moved["version"] - 1, findings)
        if answer is None:
            return
        live = answer
        findings.answers.append(time.monotonic() - began)


async def answered(socket: Any, name: str, version: int, findings: Findings) -> dict | None:
    """The game when it is the person's turn again, or over; None if that takes too long."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            while True:
                message = from_json(await socket.recv())
                if message["type"] == "error":
                    findings.problems.append(message["error"])
                live = message.get("game")
                if message["type"] != "game" or live["id"] != name or live["version"] <= version:
                    continue
                if live["result"] is not None or live["view"]["to_move"] == live["human"]:
                    return live
    except TimeoutError:
        findings.problems.append(f"game {name}: no answer in {ANSWER_SECONDS:.0f} s")
        return None


async def lost_games(address: str, findings: Findings) -> list[str]:
    """Games that the server no longer has, or has otherwise."""
    place = urlsplit(address)
    server = Connection(str(place.hostname), int(place.port or 0))
    lost = []
    for name, actions in findings.games.items():
        status, live = await server.ask("GET", f"/api/play/{name}")
        if status != 200 or live["view"]["actions"][: len(actions)] != actions:
            lost.append(name)
    server.close()
    return lost


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += family(int(child))
    return found


def megabytes(pid: int) -> float:
    """Of memory that processes have to themselves or share, by /proc."""
    page = os.sysconf("SC_PAGESIZE")
    return sum(int(Path(f"/proc/{one}/statm").read_text().split()[1]) for one in family(pid)) * page / 1e6


async def watch_memory(pid: int, end: float) -> None:
    """Prints the memory once a minute, so that growth shows."""
    while time.monotonic() < end:
        await asyncio.sleep(min(60.0, max(0.1, end - time.monotonic())))
        print(f"  {megabytes(pid):.0f} MB, {len(family(pid))} processes", flush=True)


async def run(options: argparse.Namespace, address: str, pid: int) -> bool:
    """Whether all went well."""
    findings = Findings()
    warm = time.monotonic() + options.warm_up
    games = options.games.split(",")

    def clients(end: float, into: Findings):
        return [
            play_on(address, games[number % len(games)], options.think, end, number, into)
            for number in range(options.clients)
        ]

    await asyncio.gather(*clients(warm, Findings()))
    before, processes = megabytes(pid), len(family(pid))
    print(f"{options.clients} clients, {options.minutes} min, {options.think} s a move; {before:.0f} MB to begin with")
    end = time.monotonic() + 60 * options.minutes
    await asyncio.gather(*clients(end, findings), watch_memory(pid, end))
    await asyncio.sleep(1.0)
    lost = await lost_games(address, findings)
    median = statistics.median(findings.answers)
    late = statistics.quantiles(findings.answers, n=20)[-1]
    print(f"moves answered: {len(findings.answers)}; median {1000 * median:.0f} ms, 95 % within {1000 * late:.0f} ms")
    print(f"games: {len(findings.games)} played, {findings.finished} to their end, {len(lost)} lost")
    print(f"memory: {before:.0f} MB -> {megabytes(pid):.0f} MB; processes: {processes} -> {len(family(pid))}")
    print(f"problems: {len(findings.problems)}", *sorted(set(findings.problems))[:5], sep="\n  ")
    return not lost and not findings.problems and median <= MEDIAN_SECONDS and len(family(pid)) <= processes


def main() -> None:
    """Starts a server, plays, reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--think", type=float, default=5.0, help="mean seconds a client thinks about a move")
    parser.add_argument("--warm-up", type=float, default=10.0, help="seconds played before anything is measured")
    parser.add_argument("--games", default="tablut,draughts,cathedral")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(sys.executable).parent / "boardwright"
        command = [str(program), "serve", "--port", "0", "--db", f"{folder}/games.db", "--workers", "2"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = re.search(r"http://[\d.]+:\d+", server.stdout.readline())
            assert address
            well = asyncio.run(run(options, address[0], server.pid))
        finally:
            server.terminate()
            server.wait(20)
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
