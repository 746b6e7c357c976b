"""A run in an existing folder resumes, starts, or is refused and changes nothing."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drift import USUAL, Config, Drift, trained

from boardwright.errors import RunError
from boardwright.learn.run import checkpoint, config_file, league, loop, packing, portable_state
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import read_metrics
from boardwright.nets import netfile


class KilledError(Exception):
    """As a process is: nothing is kept after it."""


def killed_after(folder: Path, iteration: int, config: Config = USUAL) -> list[str]:
    """The messages of a run that was killed after it had reported an iteration."""
    said: list[str] = []

    def report(done: int, *_: Any) -> None:
        if done == iteration:
            raise KilledError

    with pytest.raises(KilledError):
        loop.train(Drift(config), folder, RunObserver(message=said.append, on_iteration=report))
    return said


def contents(folder: Path) -> dict[str, bytes]:
    """Of everything that is worth keeping."""
    kept = [folder / "metrics.sqlite", folder / "config.json", *(folder / "nets").iterdir()]
    return {path.name: path.read_bytes() for path in kept if path.exists()}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that came to its end, without its checkpoints: as runs are published."""
    folder = tmp_path_factory.mktemp("ended")
    trained(folder)
    shutil.rmtree(folder / "checkpoints")
    return folder


def only(*kept: str) -> Callable[[Path], None]:
    """Removes all but the config and some files."""

    def thin(folder: Path) -> None:
        names = {"config.json", *kept}
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            if str(path.relative_to(folder)) not in names:
                path.unlink()

    return thin


@pytest.mark.parametrize(
    ("thin", "named"),
    [
        (lambda folder: None, "metrics up to iteration 6 and nets/000006.net"),
        (only("metrics.sqlite", "nets/best.net"), "metrics up to iteration 6 and nets/best.net"),
        (only("metrics.sqlite"), "metrics up to iteration 6"),
        (only("nets/best.net"), "nets/best.net"),
        (only("nets/000000.net", "nets/000003.net"), "nets/000003.net"),
    ],
)
def test_run_without_checkpoints_is_not_restarted(
    ended: Path, tmp_path: Path, thin: Callable[[Path], None], named: str
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(ended, folder)
    thin(folder)
    before = contents(folder)
    with pytest.raises(RunError) as refused:
        trained(folder)
    assert f"has {named}, but no checkpoint" in str(refused.value)
    assert "another --out" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert contents(folder) == before


def test_unpacked_run_without_checkpoints_is_refused(tmp_path: Path) -> None:
    """Nor is what it did since it was unpacked done again in silence."""
    trained(tmp_path / "first", pieces=8)
    packing.pack(tmp_path / "first", tmp_path / "file", nets=1)
    packing.unpack(tmp_path / "file", tmp_path / "run")
    trained(tmp_path / "run", pieces=4)
    shutil.rmtree(tmp_path / "run" / "checkpoints")
    with pytest.raises(RunError, match=r"has nets/000003\.net, but no checkpoint"):
        trained(tmp_path / "run")
    league.path_of(tmp_path / "run" / "nets", 3).unlink()
    assert trained(tmp_path / "run")[1].iteration == USUAL.iterations


def test_run_without_results_starts_again(tmp_path: Path) -> None:
    config_file.store(tmp_path, "drift", USUAL)
    assert trained(tmp_path, pieces=0)[1].iteration == 0
    shutil.rmtree(tmp_path / "checkpoints")  # which leaves empty metrics and the net of iteration 0
    assert trained(tmp_path)[1].iteration == USUAL.iterations


@pytest.mark.parametrize("iteration", [1, 2])
def test_run_killed_after_an_iteration_resumes(tmp_path: Path, iteration: int) -> None:
    """However short the iteration was: nothing is measured that has no checkpoint before it."""
    killed_after(tmp_path, iteration)
    assert checkpoint.find_checkpoints(tmp_path / "checkpoints")
    said, progress = trained(tmp_path)
    assert said[0].startswith("resuming iteration 1 of 6")
    assert progress.iteration == USUAL.iterations
    trained(tmp_path / "straight")
    best, expected = (netfile.read(folder / "nets" / league.BEST) for folder in (tmp_path, tmp_path / "straight"))
    assert all((weight == expected.weights[name]).all() for name, weight in best.weights.items())


def test_unpacked_run_killed_after_an_iteration_resumes(tmp_path: Path) -> None:
    trained(tmp_path / "first", pieces=8)
    packing.pack(tmp_path / "first", tmp_path / "file", nets=1)
    packing.unpack(tmp_path / "file", tmp_path / "run")
    killed_after(tmp_path / "run", 3)
    said, progress = trained(tmp_path / "run")
    assert said[0].startswith("resuming iteration 3 of 6")
    assert (progress.iteration, progress.parts) == (USUAL.iterations, 2)


@pytest.mark.parametrize("where", ["initialise_from", "work"])
def test_failed_settings_can_be_corrected(tmp_path: Path, where: str) -> None:
    """Refused before the run began, or out of memory in its first piece of work."""

    def refuse(*_: Any) -> Any:
        raise RunError("choose another seed")

    method = Drift(Config(seed=1))
    setattr(method, where, refuse)
    with pytest.raises(RunError, match="choose another seed"):
        loop.train(method, tmp_path)
    _, progress = trained(tmp_path, USUAL)
    assert progress.iteration == USUAL.iterations
    assert config_file.read(tmp_path) == config_file.contents("drift", USUAL)
    assert netfile.read(league.path_of(tmp_path / "nets", 0)).training["config"]["seed"] == 0


def test_refused_setting_writes_no_config(tmp_path: Path) -> None:
    """For the same command without it would resume with them."""

    def refuse(state: Any) -> Any:
        raise RunError("choose another seed")

    method = Drift(USUAL)
    method.initialise_from = refuse
    with pytest.raises(RunError, match="choose another seed"):
        loop.train(method, tmp_path)
    assert not (tmp_path / config_file.NAME).exists()


def test_other_settings_for_a_run_with_results_are_refused(ended: Path, tmp_path: Path) -> None:
    trained(tmp_path / "run", pieces=1)  # and a checkpoint
    packing.pack(ended, tmp_path / "file", nets=1)
    packing.unpack(tmp_path / "file", tmp_path / "unpacked")
    for folder in (tmp_path / "run", tmp_path / "unpacked"):
        before = contents(folder)
        with pytest.raises(RunError, match="seed is 0 there and 1 here"):
            trained(folder, Config(seed=1))
        assert contents(folder) == before


def test_iterations_are_counted_as_logged(tmp_path: Path) -> None:
    numbers: list[int] = []

    def one_more(pieces: int) -> list[str]:
        said, left = [], iter(range(pieces))
        watch = RunObserver(
            message=said.append,
            on_iteration=lambda done, *_: numbers.append(done),
            stopped=lambda: next(left, None) is None,
        )
        loop.train(Drift(USUAL), tmp_path, watch)
        return said

    assert one_more(6) == ["stopped in iteration 2; run the same command to resume"]
    assert numbers == [1]
    assert one_more(2) == [
        "resuming iteration 2 of 6 after 100 frames",
        "stopped before iteration 3; run the same command to resume",
    ]
    assert one_more(8)[0] == "resuming iteration 3 of 6 after 200 frames"
    last = f"finished: 6 iterations, 600 frames; net saved as {tmp_path / 'nets' / league.BEST}"
    assert one_more(100) == ["resuming iteration 5 of 6 after 400 frames", last]
    assert numbers == [1, 2, 3, 4, 5, 6]
    assert one_more(100) == ["this run is complete", last]
    assert len(read_metrics(tmp_path).scalars["replay"].values) == 6
    assert not (tmp_path / portable_state.UNPACKED).exists()
