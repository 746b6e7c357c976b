"""Checkpoints written in a thread contain the tree as it was when saved, and errors are raised later."""

import contextlib
import threading
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.errors import RunError
from boardwright.learn.run import checkpoint
from boardwright.learn.run.checkpoint import Saver


def _tree(number: int) -> dict[str, Any]:
    return {
        "weights": jnp.arange(1 << 12, dtype=jnp.float32) + number,
        "half": jnp.full(8, number, jnp.bfloat16),
        "steps": jnp.int32(number),
    }


def test_saved_tree_is_unaffected_by_later_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The write is held back until the memory of the tree was overwritten."""
    overwritten = threading.Event()
    save = checkpoint.save

    def waiting(*arguments: Any) -> Path:
        assert overwritten.wait(60)
        return save(*arguments)

    monkeypatch.setattr(checkpoint, "save", waiting)
    change = jax.jit(lambda weights: weights * 0 - 7, donate_argnums=0)
    tree = _tree(5)
    with Saver(tmp_path, seconds=0.0) as saver:
        saver.save(1, tree, {"at": 1})
        assert not saver.due()  # while it is being written
        tree["weights"] = change(tree["weights"]).block_until_ready()
        overwritten.set()
    restored = checkpoint.restore(tmp_path, _tree(0))
    assert restored is not None
    assert restored.meta == {"at": 1}
    expected = _tree(5)
    for name in ("weights", "half", "steps"):
        np.testing.assert_array_equal(restored.tree[name], expected[name])


def test_errors_of_a_write_are_raised_by_the_next_save(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("in the way")
    saver = Saver(folder, seconds=0.0)
    saver.save(1, _tree(1), {})
    with pytest.raises(RunError, match="cannot write"):
        saver.save(2, _tree(2), {})


def test_the_last_checkpoint_is_written_after_an_error(tmp_path: Path) -> None:
    with contextlib.suppress(ValueError), Saver(tmp_path, seconds=0.0) as saver:
        saver.save(3, _tree(3), {})
        raise ValueError
    assert checkpoint.find_checkpoints(tmp_path).keys() == {3}


def test_a_checkpoint_is_due_after_seconds(tmp_path: Path) -> None:
    with Saver(tmp_path, seconds=3600.0) as saver:
        assert not saver.due()
    with Saver(tmp_path, seconds=0.0) as saver:
        assert saver.due()


@pytest.mark.parametrize(
    ("copying", "writing", "pause"),
    [
        (0.1, 5.0, 60.0),  # cheap enough for the promised minute
        (0.1, 120.0, 240.2),  # a slow disk: it rests as long as it wrote
        (6.0, 20.0, 120.0),  # slow copies: work waits a twentieth of the time
    ],
)
def test_pause_after_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copying: float, writing: float, pause: float
) -> None:
    """The pause is known as soon as a checkpoint is written, and depends on that checkpoint only."""
    now = [0.0]

    def take(seconds: float) -> None:
        now[0] += seconds

    waiting = threading.Event()
    monkeypatch.setattr(checkpoint, "copy_to_host", lambda tree: take(copying))
    monkeypatch.setattr(checkpoint, "save", lambda *arguments: waiting.wait(60) and take(writing))
    with Saver(tmp_path, seconds=60.0, clock=lambda: now[0]) as saver:
        for begin in (60.0, 1000.0):
            waiting.clear()
            now[0] = begin
            assert saver.due()
            saver.save(1, _tree(1), {})
            assert not saver.due()
            waiting.set()
            saver.finish()
            now[0] = begin + pause - 0.01
            assert not saver.due()
            now[0] = begin + pause + 0.01
            assert saver.due()


def test_newest_waiting_write_replaces_the_others(tmp_path: Path) -> None:
    """A write that has begun is finished."""
    begun, resume = threading.Event(), threading.Event()
    written: list[int] = []

    def slow() -> None:
        begun.set()
        assert resume.wait(60)
        written.append(0)

    with Saver(tmp_path, seconds=0.0) as saver:
        saver.write_in_thread(slow)
        assert begun.wait(60)
        for number in (1, 2, 3):
            saver.write_in_thread(lambda number=number: written.append(number))
        resume.set()
        saver.finish()
    assert written == [0, 3]


def test_errors_of_other_writes_are_raised(tmp_path: Path) -> None:
    def full() -> None:
        raise RunError("the disk is full")

    with pytest.raises(RunError, match="the disk is full"), Saver(tmp_path, seconds=0.0) as saver:
        saver.write_in_thread(full)
