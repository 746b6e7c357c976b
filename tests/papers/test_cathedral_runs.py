"""Runs and matches of the Cathedral paper: their settings, and that nothing is done twice."""

import dataclasses
import json
from pathlib import Path

import jax
import pytest

from boardwright.errors import BoardwrightError
from boardwright.games.registry import game
from boardwright.learn.run import settings
from boardwright.learn.run.method import RunObserver
from boardwright.nets import netfile
from boardwright.nets.config import PlainConfig
from boardwright.nets.network import make_network, weights_of
from boardwright.papers import work_folder
from boardwright.papers.cathedral import runs as cathedral_runs
from boardwright.papers.cathedral.claims import CELLS, TRAININGS, Training, cell_of
from boardwright.papers.cathedral.runs import Work, play_cell, train_run
from boardwright.papers.work_folder import StoppedError


def some_work(folder: Path, **changes: object) -> Work:
    work = Work(folder=folder, seeds=(3,), games=20, arena_games=4, quick=True)
    return dataclasses.replace(work, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("training", TRAININGS.values(), ids=list(TRAININGS))
def test_every_run_has_settings(training: Training, quick: bool, tmp_path: Path) -> None:
    config = some_work(tmp_path, quick=quick).config(training, 3)
    assert config.seed == 3
    assert (config.game, config.rules) == ("cathedral", "paper")
    if not training.name.endswith("-best"):
        assert config.observation == "paper"
    assert "{" not in repr(config).replace("{}", "")


def test_runs_read_the_files_of_others_of_their_seed(tmp_path: Path) -> None:
    work = some_work(tmp_path)
    frozen, tuned = (work.config(TRAININGS[name], 3) for name in ("ppo-frozen", "ppo-tuned"))
    encoder = tmp_path / "runs" / "vae-3" / "nets" / "best.vae"
    assert frozen.encoder == tuned.encoder == str(encoder)
    assert (frozen.frozen, tuned.frozen) == (True, False)
    vae = work.config(TRAININGS["vae"], 3)
    ppo = tmp_path / "runs" / "ppo-3" / "nets" / "best.net"
    assert vae.boards.players == ("random", f"ppo:net={ppo},temperature=1")  # without it one game, again and again
    full = work.config(TRAININGS["ppo-frozen"], 3).plain
    encoded = vae.encoder.as_plain()
    for option in ("convolutions", "stride", "encoder_hidden", "latent"):  # what a net must have to take it in
        assert getattr(full, option) == getattr(encoded, option)


def test_cells_are_those_of_the_paper(tmp_path: Path) -> None:
    """Runs that are compared differ in that alone."""
    work = some_work(tmp_path, quick=False)
    boltzmann, epsilon, uniform = (work.config(TRAININGS[name], 0) for name in ("boltzmann", "epsilon", "uniform"))
    assert dataclasses.replace(epsilon, acting=boltzmann.acting) == boltzmann
    assert (boltzmann.acting.exploration, epsilon.acting.exploration) == ("boltzmann", "epsilon")
    assert dataclasses.replace(uniform, transitions=boltzmann.transitions) == boltzmann
    assert (boltzmann.transitions.prioritised, uniform.transitions.prioritised) == (True, False)


def test_our_runs_use_the_first_seeds_only(tmp_path: Path) -> None:
    seeds = (5, 6, 7)
    assert TRAININGS["dqn"].seeds(seeds) == seeds
    assert TRAININGS["ppo-best"].seeds(seeds) == (5, 6)
    assert cell_of("dqn", "ppo").seeds(seeds) == cell_of("dqn", "random").seeds(seeds) == seeds
    assert cell_of("dqn", "greedy").seeds(seeds) == seeds
    for first, second in (("ppo-best", "random"), ("ppo-best", "dqn"), ("dqn-best", "greedy")):
        assert cell_of(first, second).seeds(seeds) == (5, 6)
    jobs = {job.name for job in cathedral_runs._jobs(some_work(tmp_path, seeds=seeds))}
    everything = {f"{name}-{seed}" for name in TRAININGS for seed in seeds}
    assert everything - jobs == {"dqn-best-7", "ppo-best-7"}


def test_a_finished_run_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cathedral_runs.claims.QUICK, "vae", ())
    tiny = Training(name="vae", words="", method="vae", preset="cathedral-tiny")
    work = some_work(tmp_path)
    with pytest.raises(StoppedError):
        train_run(work, tiny, 3, RunObserver(stopped=lambda: True))
    history = train_run(work, tiny, 3, RunObserver())
    assert history.scalars["validation/reconstruction"].iterations.tolist() == [1, 2, 3]
    monkeypatch.setattr(cathedral_runs, "make_method", None)
    assert set(train_run(work, tiny, 3, RunObserver()).scalars) == set(history.scalars)
    assert not list((tmp_path / "runs" / "vae-3" / "checkpoints").glob("*.ckpt"))
    assert work.last_file("vae", 3).exists()
    config = tmp_path / "runs" / "vae-3" / "config.json"
    older = {name: value for name, value in json.loads(config.read_text()).items() if name != "beta"}
    config.write_text(json.dumps(older))  # of a version without that setting, whose default it then was
    assert train_run(work, tiny, 3, RunObserver()).scalars
    other = dataclasses.replace(tiny, settings=("beta=2",))
    with pytest.raises(TypeError):  # not the same run, so it is to be made
        train_run(work, other, 3, RunObserver())


def test_copied_folder_works(tmp_path: Path) -> None:
    here, there = (
        settings.to_json(some_work(tmp_path / place).config(TRAININGS["vae"], 3)) for place in ("here", "there")
    )
    assert here != there
    assert work_folder._without_folders(here) == work_folder._without_folders(there)
    others = settings.to_json(some_work(tmp_path / "here").config(TRAININGS["vae"], 4))
    assert work_folder._without_folders({**others, "seed": 3}) != work_folder._without_folders(here)


def test_stopped_run_resumes_in_a_copied_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cathedral_runs.claims.QUICK, "vae", ())
    players = ('boards.players=["random","ppo:net={ppo},temperature=1"]',)
    tiny = Training(name="vae", words="", method="vae", preset="cathedral-tiny", settings=players, after=("ppo",))
    here, there = (some_work(tmp_path / place) for place in ("here", "there"))
    plant(here, "ppo", "paper", rules="paper-6")
    asked = iter(range(10))
    with pytest.raises(StoppedError):
        train_run(here, tiny, 3, RunObserver(stopped=lambda: next(asked) > 2))
    here.folder.rename(there.folder)
    history = train_run(there, tiny, 3, RunObserver())
    assert history.scalars["validation/reconstruction"].iterations.tolist() == [1, 2, 3]


def test_games_of_a_repeated_run_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = some_work(tmp_path)
    mine, others = (
        [work.match_file(cell, seed) for cell in CELLS if ("dqn" in (cell.first, cell.second)) == with_dqn]
        for with_dqn, seed in ((True, 3), (False, 3))
    )
    others += [work.match_file(cell, 4) for cell in CELLS]
    (tmp_path / "matches").mkdir()
    for path in (*mine, *others):
        path.write_text("{}")
    monkeypatch.setattr(cathedral_runs, "make_method", None)
    with pytest.raises(TypeError):
        train_run(work, TRAININGS["dqn"], 3, RunObserver())
    assert len(mine) > 5
    assert not any(path.exists() for path in mine)
    assert all(path.exists() for path in others)


def plant(work: Work, name: str, observation: str, rules: str = "paper") -> None:
    """An untrained net where a run would have kept its own."""
    bound, config = game("cathedral", rules, observation), PlainConfig(convolutions=(2,), policy_hidden=(4,))
    path = work.last_file(name, 3)
    path.parent.mkdir(parents=True)
    weights = weights_of(make_network(config, bound).init(jax.random.key(len(name))))
    training = {"method": TRAININGS[name].method}
    netfile.write(path, config=config, game=bound, weights=weights, training=training)


def test_cells_are_played_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, said = some_work(tmp_path), []
    plant(work, "dqn-best", "full")
    plant(work, "dqn", "paper")
    cell, watch = cell_of("dqn-best", "dqn"), RunObserver(message=said.append)  # nets that see different boards
    first = play_cell(work, cell, 3, watch)
    assert first.total.games == 20
    assert [first.wins[role] + first.draws[role] + first.losses[role] for role in (0, 1)] == [10, 10]
    assert first.rewards is not None
    arena = play_cell(work, cell_of("dqn-best", "largest-first"), 3, watch)
    assert arena.total.games == 4
    assert arena.rewards is None
    with pytest.raises(StoppedError):
        play_cell(work, cell_of("dqn", "random"), 3, RunObserver(stopped=lambda: True))
    assert len(said) == 2
    with monkeypatch.context() as patched:  # both are kept
        patched.setattr(cathedral_runs, "_play_on_device", None)
        patched.setattr(cathedral_runs, "_play_in_arena", None)
        assert play_cell(work, cell, 3, RunObserver(stopped=lambda: True)) == first
        assert play_cell(work, cell_of("dqn-best", "largest-first"), 3, watch) == arena
    work.match_file(cell, 3).write_text("{")  # damaged: played again
    assert play_cell(work, cell, 3, watch) == first
    with pytest.raises(BoardwrightError, match=r"has results of other settings .*another folder"):
        play_cell(dataclasses.replace(work, games=10), cell, 3, watch)  # which would be the end of the others
    assert play_cell(work, cell, 3, RunObserver(stopped=lambda: True)) == first
