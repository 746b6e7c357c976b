"""The code, commands, rule files, pictures and links of the README and the docs work."""

import importlib
import os
import re
import shlex
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from commands import boardwright as boardwright_command

import boardwright
from boardwright.agents.players import make_agent
from boardwright.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


PAGES = tuple(sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "recipes").glob("*.md")]))


TUTORIALS = [page for page in PAGES if page.parent.name in ("start", "guides", "reference") or page.name == "README.md"]


@pytest.mark.parametrize("page", [page for page in TUTORIALS if blocks(page.read_text(), "python")], ids=str)
def test_python_in_the_docs_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for code in blocks(page.read_text(), "python"):
        exec(compile(code, page.name, "exec"), {"__name__": "__main__"})


def commands_of(page: Path) -> list[str]:
    lines = (line for block in blocks(page.read_text(), "sh") for line in block.splitlines())
    return [line for line in lines if line.startswith(("boardwright ", "pip ")) and " bench " not in line]


PAGES_WITH_COMMANDS = [
    pytest.param(page, marks=pytest.mark.slow if page == ROOT / "docs" / "guides" / "train.md" else ())
    for page in PAGES
    if commands_of(page)
]


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=lambda page: page.stem)
def test_commands_in_the_docs_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page's commands, one after the other; a block with a title is a file they use."""
    for name, text in re.findall(r"```\w+ (?:title=)?\"?([\w.-]+)\"?\n(.*?)```", page.read_text(), flags=re.DOTALL):
        (tmp_path / name).write_text(text)
    programs = Path(sys.executable).parent
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    for command in commands_of(page):
        program, *arguments = shlex.split(command, comments=True)
        if arguments[0] == "serve":
            check_server([programs / program, *arguments], tmp_path)
            continue
        if program == "pip":  # resolves the package without building it
            dry_run = ["--dry-run", "--no-deps", "--no-build-isolation", "--quiet", "-e", str(ROOT)]
            assert arguments == ["install", "-e", "."]
            subprocess.run([programs / program, "install", *dry_run], check=True, timeout=300)
            continue
        done = boardwright_command(*arguments)
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout, command
        if arguments[0] == "train" and "--help-settings" not in arguments:
            *_, last = (line for line in done.stdout.splitlines() if line.startswith("iteration "))
            assert "nothing learned" not in last, command
    for picture in (page.parent / "pictures").glob("*.svg"):
        drawn = tmp_path / picture.name
        assert not drawn.exists() or drawn.read_text() == picture.read_text(), f"{picture.name} is out of date"


def check_server(command_line: list[str | Path], folder: Path) -> None:
    """Starts a server and reads its page."""
    environment = os.environ | {"XDG_DATA_HOME": str(folder), "BROWSER": "true"}
    with subprocess.Popen(command_line, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://[\w.:]+", line)))
            with urllib.request.urlopen(address, timeout=60) as response:
                assert b"Boardwright" in response.read()
        finally:
            server.terminate()


@pytest.mark.parametrize(
    ("status", "restarts", "requeued"),
    [(130, None, True), (130, "19", True), (130, "20", False), (0, None, False), (1, None, False), (139, None, False)],
)
def test_the_slurm_script_requeues_stopped_runs_only(
    status: int, restarts: str | None, requeued: bool, tmp_path: Path
) -> None:
    (script,) = blocks((ROOT / "docs" / "guides" / "run-on-a-cluster.md").read_text(), 'bash title="train.sbatch"')
    for name, body in (("srun", f"exit {status}"), ("scontrol", f'echo "$@" > {tmp_path / "requeued"}')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "7", "HOME": str(tmp_path)}
    if restarts is not None:
        variables["SLURM_RESTART_COUNT"] = restarts
    done = subprocess.run(["bash", "-c", script], env=variables, timeout=60, check=False)
    assert done.returncode == status
    assert (tmp_path / "requeued").exists() == requeued


RECIPES = sorted((ROOT / "recipes").glob("*.sh"))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.stem)
def test_recipes_have_valid_options_and_players(recipe: Path, tmp_path: Path) -> None:
    """Checks the commands without running them."""
    listed, stand_in = tmp_path / "commands", tmp_path / "boardwright"
    stand_in.write_text(f'#!/bin/sh\n(for word; do printf "%s\\t" "$word"; done; echo) >> {listed}\n')
    stand_in.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["bash", recipe, "2"], cwd=tmp_path, env=os.environ | path, check=True, timeout=60)
    for command, *arguments in (line.strip("\t").split("\t") for line in listed.read_text().splitlines()):
        module = importlib.import_module(f"boardwright.cli.{command}")
        options = main._parse(module.Options, command, None, arguments)
        if command == "sprt":
            game = boardwright.game(options.game, options.rules)
            for spec in (options.a, options.b):
                make_agent(spec, game).close()
    assert f"[{recipe.name}]({recipe.name})" in (ROOT / "recipes" / "README.md").read_text()


def test_the_readme_is_a_landing_page() -> None:
    assert len(README.split()) <= 700
    assert len(commands_of(ROOT / "README.md")) >= 6
    (code,) = blocks(README, "python")
    assert len([line for line in code.splitlines() if line]) == 8
    for name in boardwright.game_names():
        assert f"docs/reference/{name}.md" in README
        assert f"docs/pictures/{name}.svg" in README
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make ([\w-]+)`", README):
        assert f"\n{target}: " in makefile


def test_the_rule_file_in_the_docs_is_valid(tmp_path: Path) -> None:
    (text,) = blocks((ROOT / "docs" / "reference" / "tablut.md").read_text(), 'toml title="ashton.toml"')
    path = tmp_path / "ashton.toml"
    path.write_text(text)
    game = boardwright.game("tablut", path)
    assert (game.rules.name, len(game.symmetries()), game.rules.max_plies) == ("ashton", 8, None)


def test_relative_links_and_images_exist() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", page.read_text()):
            link = next(filter(None, target))
            assert link.startswith("http") or (page.parent / link).exists(), f"{page.name}: {link}"


def test_api_reference_covers_all_exports() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text()
    assert sorted(re.findall(r"^::: boardwright\.(\w+)$", page, flags=re.MULTILINE)) == sorted(boardwright.__all__)


OLD_WORDS = r"told|tells|go(es)? on|gone on|at first sight|so many|anew|whoever|whatever|nobody|looks ahead|past selves"


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name != "results"], ids=lambda page: page.stem)
def test_pages_use_the_terms_of_the_field(page: Path) -> None:
    """CONTRIBUTING.md names the terms to use instead; generated pages are not checked here."""
    assert not re.findall(rf"\b(?:{OLD_WORDS})\b", page.read_text(), flags=re.IGNORECASE)
