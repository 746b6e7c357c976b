"""Checkpoints beside the work: they hold what was there when they were asked for, and failures are not lost."""

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
from boardwright.learn.run.saver import Saver


def _tree(number: int) -> dict[str, Any]:
    return {
        "weights": jnp.arange(1 << 12, dtype=jnp.float32) + number,
        "half": jnp.full(8, number, jnp.bfloat16),
        "key": jax.random.key(number),
        "counted": np.arange(3) + number,
        "steps": number,
    }


def test_what_is_saved_is_what_was_there_though_it_is_used_up_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write is held back until the tree's memory has been given to others and overwritten."""
    used_up = threading.Event()
    save = checkpoint.save

    def waiting(*arguments: Any) -> Path:
        assert used_up.wait(60)
        return save(*arguments)

    monkeypatch.setattr(checkpoint, "save", waiting)
    change = jax.jit(lambda weights: weights * 0 - 7, donate_argnums=0)
    tree = _tree(5)
    with Saver(tmp_path, seconds=0.0) as saver:
        saver.save(1, tree, {"at": 1})
        assert not saver.due()  # while it is being written
        tree["weights"] = change(tree["weights"]).block_until_ready()
        tree["counted"][:] = -1
        used_up.set()
    restored = checkpoint.restore(tmp_path, _tree(0))
    assert restored is not None
    assert restored.meta == {"at": 1}
    wanted = _tree(5)
    for name in ("weights", "half", "counted"):
        np.testing.assert_array_equal(restored.tree[name], wanted[name])
    assert restored.tree["steps"] == 5
    assert jax.random.key_data(restored.tree["key"]).tolist() == jax.random.key_data(wanted["key"]).tolist()


def test_what_could_not_be_written_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("in the way")
    saver = Saver(folder, seconds=0.0)
    saver.save(1, _tree(1), {})
    with pytest.raises(RunError, match="cannot write"):
        saver.save(2, _tree(2), {})


def test_the_last_is_on_the_disk_when_the_work_ends_in_an_error(tmp_path: Path) -> None:
    with contextlib.suppress(ValueError), Saver(tmp_path, seconds=0.0) as saver:
        saver.save(3, _tree(3), {})
        raise ValueError
    assert checkpoint.numbered(tmp_path).keys() == {3}


def test_it_is_due_by_the_clock(tmp_path: Path) -> None:
    with Saver(tmp_path, seconds=3600.0) as saver:
        assert not saver.due()
    with Saver(tmp_path, seconds=0.0) as saver:
        assert saver.due()


def test_of_what_is_written_beside_the_newest_is_enough(tmp_path: Path) -> None:
    """What waits behind a slow write gives way to what comes after it; what has begun is ended."""
    begun, go_on = threading.Event(), threading.Event()
    written: list[int] = []

    def slow() -> None:
        begun.set()
        assert go_on.wait(60)
        written.append(0)

    with Saver(tmp_path, seconds=0.0) as saver:
        saver.write_beside(slow)
        assert begun.wait(60)
        for number in (1, 2, 3):
            saver.write_beside(lambda number=number: written.append(number))
        go_on.set()
        saver.finish()
    assert written == [0, 3]


def test_what_could_not_be_written_beside_is_told(tmp_path: Path) -> None:
    def full() -> None:
        raise RunError("the disk is full")

    with pytest.raises(RunError, match="the disk is full"), Saver(tmp_path, seconds=0.0) as saver:
        saver.write_beside(full)
