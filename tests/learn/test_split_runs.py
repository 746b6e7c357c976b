"""A run split over devices, or over processes on loopback, is the run on one device, up to rounding.

The devices are some that the CPU pretends to have.
"""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from split_runs import LAST, assert_same, end_of, finish, start, start_together, stop_after_an_iteration

GAMES, NODES = 8, 7  # of `split_runs.SETTINGS`: a node a simulation and the root
COLLECTIVE = re.compile(r"= (\S.*?) (all-gather|all-reduce|all-to-all|collective-permute|reduce-scatter)(-start)?\(")
STOPPED_ON_THE_WAY = re.compile(r"stopped (before|in) iteration [234];")  # where, is a matter of how busy a machine is
SHAPE = re.compile(r"\w+\[([\d,]*)\]")
SAMPLES_SEEN = re.compile(r"= f32\[(\d+),8,8,8\]\S* convolution\(")  # a board, and as many channels as its side


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder for compiled programs: a program that is found in a cache is not dumped."""
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def on_one(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """A run on one device, at its end."""
    folder = tmp_path_factory.mktemp("on_one")
    (said,) = finish(start(folder, None, 1))
    assert "devices" not in said
    return end_of(folder)


@pytest.fixture(scope="module")
def on_four(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The run on four devices at its end, and its programs."""
    folder, dump = tmp_path_factory.mktemp("on_four"), tmp_path_factory.mktemp("dump")
    flags = f"--xla_dump_to={dump} --xla_dump_hlo_module_re=jit_(play|learn)"
    (said,) = finish(start(folder, cache, 4, flags=flags))
    assert said.startswith("training on 4 × cpu\n4 devices: 2 games and 2 samples of a batch on each\n")
    programs = {}
    for name in ("play", "learn"):
        (programs[name],) = (path.read_text() for path in dump.glob(f"*jit_{name}.*after_optimizations.txt"))
    shutil.rmtree(dump)
    return end_of(folder), programs


def test_run_on_four_devices_equals_the_run_on_one(on_one: dict, on_four: tuple[dict, dict]) -> None:
    assert (on_one[".replay.status"] > 1).any()  # something was learned from
    assert_same(on_one, on_four[0])


def test_trees_stay_on_their_devices(on_four: tuple[dict, dict]) -> None:
    """Nothing by node goes between devices, and no more by game than a net is asked and says."""
    sizes = []
    for result, *_ in COLLECTIVE.findall(on_four[1]["play"]):
        for shape in SHAPE.findall(result):
            sizes.append(tuple(int(size) for size in shape.split(",") if size))
    assert sizes  # the tally is summed over devices
    assert not [shape for shape in sizes if NODES in shape]
    assert max(np.prod(shape, dtype=int) for shape in sizes) <= GAMES * 128  # draughts has 128 actions


def test_every_device_learns_from_its_share(on_four: tuple[dict, dict]) -> None:
    assert set(SAMPLES_SEEN.findall(on_four[1]["learn"])) == {"2"}  # of 8


@pytest.mark.slow
@pytest.mark.parametrize(("first", "then"), [(4, 1), (1, 4)])
def test_run_resumes_with_another_number_of_devices(
    first: int, then: int, on_one: dict, on_four: tuple[dict, dict], cache: Path, tmp_path: Path
) -> None:
    del on_four  # its programs are used
    (said,) = stop_after_an_iteration([start(tmp_path, cache, first)], asked=0)
    assert STOPPED_ON_THE_WAY.search(said)
    (said,) = finish(start(tmp_path, cache, then))
    assert "resuming iteration" in said
    assert_same(on_one, end_of(tmp_path))


def test_games_that_do_not_divide_are_refused(cache: Path, tmp_path: Path) -> None:
    run = start(tmp_path / "run", cache, 3)
    _, error = run.communicate(timeout=300)
    assert (run.returncode, error) == (
        2,
        "boardwright: setting selfplay.games: 8 is not divisible by 3, the number of devices: set it to 9\n",
    )


@pytest.mark.slow
def test_two_processes_equal_one(on_one: dict, cache: Path, tmp_path: Path) -> None:
    first, second = finish(*start_together(tmp_path, cache, 2))
    assert "4 devices of 2 processes: 2 games and 2 samples of a batch on each\n" in first
    assert "iteration" not in second
    assert_same(on_one, end_of(tmp_path))


@pytest.mark.slow
def test_two_processes_stop_at_the_same_step_and_resume(on_one: dict, cache: Path, tmp_path: Path) -> None:
    first, second = stop_after_an_iteration(start_together(tmp_path, cache, 2), asked=1)
    assert STOPPED_ON_THE_WAY.search(first)
    assert "iteration" not in second
    assert not (tmp_path / "checkpoints" / LAST).exists()
    first, second = finish(*start_together(tmp_path, cache, 2))
    assert "resuming iteration" in first
    assert "iteration" not in second
    assert_same(on_one, end_of(tmp_path))


def test_processes_with_other_settings_are_refused(cache: Path, tmp_path: Path) -> None:
    for run in start_together(tmp_path / "run", cache, 1, seeds=(0, 1)):
        _, error = run.communicate(timeout=300)
        assert run.returncode == 2
        assert "boardwright: the processes of this run differ in their settings" in error
    assert not (tmp_path / "run").exists()
