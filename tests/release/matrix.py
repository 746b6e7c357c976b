"""Tries the package as users install it: every supported Python, oldest and newest dependencies, wheel and sdist.

    make matrix                               # all of it: about half an hour for each environment on two cores
    python tests/release/matrix.py --only 3.12 --pytest "tests/agents tests/arena"

Needs `uv`. A Python that is not installed is left out, with a line that says so. Each environment has its own clone of
the last commit.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13")
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}


def run(*command: str | Path, cwd: Path, **environment: str) -> None:
    """Runs a command; raises CalledProcessError if it fails."""
    print("+", shlex.join(map(str, command)), flush=True)
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", **environment}
    subprocess.run(list(map(str, command)), cwd=cwd, env=environment, check=True)


def is_installed(python: str) -> bool:
    """Whether uv finds this Python on the machine."""
    found = subprocess.run(["uv", "python", "find", "--no-python-downloads", python], capture_output=True, check=False)
    return found.returncode == 0


def make_environment(folder: Path, python: str) -> Path:
    """An empty virtual environment; the folder of its programs."""
    run("uv", "venv", "--quiet", "--python", python, folder, cwd=ROOT)
    return folder / "bin"


def test_suite(folder: Path, python: str, dependencies: str, arguments: str) -> None:
    """Installs a clone with all extras, and runs its tests."""
    clone = folder / "clone"
    run("git", "clone", "--quiet", ROOT, clone, cwd=folder)
    programs = make_environment(folder / "venv", python)
    resolution = RESOLUTIONS[dependencies]
    pip = ("uv", "pip", "install", "--quiet", "--python", programs / "python")
    run(*pip, "--resolution", resolution, "-e", ".[dev]", cwd=clone)
    pytest = (programs / "python", "-P", "-m", "pytest", "-n", "auto", "--dist", "worksteal")
    run(*pytest, *shlex.split(arguments), cwd=clone)


def try_package(folder: Path, python: str, kind: str) -> None:
    """Builds a wheel or sdist, installs it into an empty environment, and plays, matches and serves with it."""
    run("uv", "build", "--quiet", f"--{kind}", "--python", python, "--out-dir", folder / "dist", cwd=ROOT)
    (package,) = (folder / "dist").glob("*.whl" if kind == "wheel" else "*.tar.gz")
    programs = make_environment(folder / "venv", python)
    compiler = {"CXX": "false", "CC": "false"} if kind == "wheel" else {}
    run("uv", "pip", "install", "--quiet", "--python", programs / "python", package, cwd=folder, **compiler)
    program = programs / "boardwright"
    run(program, "match", "tablut", "alphabeta:depth=2", "random", "--games", "2", cwd=folder)
    run(program, "match", "draughts", "alphabeta:net=draughts-evaluation,depth=2", "random", "--games", "2", cwd=folder)
    run(program, "match", "cathedral", "alphazero:net=cathedral,sims=4", "random", "--games", "2", cwd=folder)
    server = subprocess.Popen(
        [program, "serve", "--port", "0", "--db", folder / "games.db"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
        with urllib.request.urlopen(f"{address}api/games", timeout=60) as response:
            assert b"tablut" in response.read()
    finally:
        server.terminate()
        server.wait(60)


def main() -> int:
    """Runs everything, and prints what passed and how long it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", choices=PYTHONS, help="only this Python")
    parser.add_argument("--pytest", default="", help="arguments of pytest, such as folders")
    options = parser.parse_args()
    jobs = [(python, name) for python in PYTHONS for name in ("wheel", "sdist", *RESOLUTIONS)]
    results = []
    for python, name in jobs:
        if options.only not in (None, python):
            continue
        if not is_installed(python):
            print(f"Python {python} is not installed: left out", flush=True)
            continue
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                if name in RESOLUTIONS:
                    test_suite(Path(folder), python, name, options.pytest)
                else:
                    try_package(Path(folder), python, name)
                outcome = "passed"
            except (subprocess.CalledProcessError, AssertionError, OSError) as error:
                outcome = f"FAILED: {error}"
        results.append(f"Python {python}, {name}: {outcome}, {time.monotonic() - begin:.0f} s")
        print(results[-1], flush=True)
    print("\n".join(["", *results]))
    return int(any("FAILED" in line for line in results))


if __name__ == "__main__":
    sys.exit(main())
