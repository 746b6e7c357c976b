"""Run files that version 0.1.0 wrote before `state.safetensors`, in tests/learn/data, are still read."""

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.errors import RunError
from boardwright.learn.methods import PRESETS
from boardwright.learn.run import checkpoint, config_file, metrics, packing, portable_state, run_folder, settings
from boardwright.setting import current_names

DATA = Path(__file__).parent / "data"
FIELDS = ("learner", "league")


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Run:
    """The run in the files."""

    learner: Any
    league: jax.Array
    replay: jax.Array


def run_of(scale: float, steps: int, replay: int) -> Run:
    weights = jnp.arange(12, dtype=jnp.float32).reshape(3, 4) / 7 * scale
    optimiser = {"mu": weights + scale, "count": jnp.int32(5 * scale)}
    learner = {"variables": weights, "averaged": weights, "optimiser": optimiser, "steps": jnp.int32(steps)}
    return Run(learner, weights.astype(jnp.bfloat16).astype(jnp.float32), jnp.arange(5, dtype=jnp.uint8) * replay)


STORED, EMPTY = run_of(1, 9, 1), run_of(0, 0, 0)


def assert_equal(one: Any, other: Any) -> None:
    jax.tree.map(np.testing.assert_array_equal, one, other)


def test_a_checkpoint_is_restored(tmp_path: Path) -> None:
    shutil.copy(DATA / "old.ckpt", tmp_path / "2000000.ckpt")
    restored = checkpoint.restore(tmp_path, jax.eval_shape(lambda: EMPTY))
    assert restored is not None
    assert_equal(restored.tree, STORED)
    assert restored.meta["progress"]["frames"] == 200


@pytest.mark.parametrize("name", [portable_state.NAME, portable_state.UNPACKED])
def test_portable_state_is_restored(tmp_path: Path, name: str) -> None:
    """With arrays that it stores once, or in bfloat16; the replay buffer is not in it."""
    old = {portable_state.NAME: "luggage.arrays", portable_state.UNPACKED: "unpacked.arrays"}[name]
    shutil.copy(DATA / "old-luggage.arrays", tmp_path / old)
    file, progress = portable_state.read(portable_state.path_in(tmp_path, name))
    assert (progress.iteration, progress.frames, progress.device_seconds) == (2, 200, {"cpu": 1.5})
    assert_equal(portable_state.restore_into(file, EMPTY, FIELDS), dataclasses.replace(STORED, replay=EMPTY.replay))
    shutil.copy(tmp_path / old, tmp_path / name)
    assert portable_state.path_in(tmp_path, name) == tmp_path / name


def test_a_pack_is_unpacked_and_packed_again(tmp_path: Path) -> None:
    packed = packing.unpack(DATA / "old.pack", tmp_path / "run")
    assert (packed.progress.iteration, packed.nets, packed.config["game"]) == (2, (2,), "draughts")
    assert (tmp_path / "run" / "nets" / "000002.net").read_bytes() == b"stands for a net" * 3
    assert metrics.progress(tmp_path / "run") == (2, 200)
    assert run_folder.can_resume(tmp_path / "run")
    file, _ = portable_state.read(tmp_path / "run" / portable_state.UNPACKED)
    assert_equal(portable_state.restore_into(file, EMPTY, FIELDS).learner, STORED.learner)
    packing.pack(tmp_path / "run", tmp_path / "again", nets=1)
    assert packing.unpack(tmp_path / "again", tmp_path / "new").progress == packed.progress


def test_a_folder_with_the_old_names_is_packed_and_resumed(tmp_path: Path) -> None:
    packing.unpack(DATA / "old.pack", tmp_path / "run")
    (tmp_path / "run" / portable_state.UNPACKED).rename(tmp_path / "run" / "unpacked.arrays")
    assert run_folder.can_resume(tmp_path / "run")
    assert packing.pack(tmp_path / "run", tmp_path / "file", nets=1).progress.iteration == 2
    shutil.copy(DATA / "old.pack", tmp_path / "older")
    packing.pack(tmp_path / "run", tmp_path / "older", nets=1)  # a pack may replace a pack of the old format
    assert packing.unpack(tmp_path / "older", tmp_path / "new").nets == (2,)


OLD_CONFIGS = json.loads((DATA / "old-configs.json").read_text())


@pytest.mark.parametrize("method", sorted(OLD_CONFIGS))
def test_a_config_with_the_old_names_of_settings_is_read(tmp_path: Path, method: str) -> None:
    preset, old = PRESETS[method][OLD_CONFIGS[method]["preset"]], OLD_CONFIGS[method]["config"]
    (tmp_path / config_file.NAME).write_text(json.dumps(old))
    assert config_file.load(tmp_path, method, preset.game, type(preset)) == preset
    config_file.check(tmp_path, method, preset)
    with pytest.raises(RunError, match="seed is 0 there and 5 here"):
        config_file.check(tmp_path, method, dataclasses.replace(preset, seed=5))


def test_a_pack_with_the_old_names_of_settings_is_resumed(tmp_path: Path) -> None:
    packing.unpack(DATA / "old.pack", tmp_path / "run")
    preset = PRESETS["alphazero"]["draughts-tiny"]
    assert config_file.load(tmp_path / "run", "alphazero", "draughts", type(preset)) == preset


RENAMED = {
    "alphazero": {
        "learner.peak": "learner.lr_peak",
        "tables": "tablebase_dir",
        "learner.tables": "learner.tablebase_weight",
    },
    "ppo": {"learner.trace": "learner.gae_lambda"},
    "vae": {"rate": "lr"},
}


@pytest.mark.parametrize(
    ("method", "old", "new"), [(method, *pair) for method, names in RENAMED.items() for pair in names.items()]
)
def test_old_setting_name_is_refused_with_the_new_one(method: str, old: str, new: str) -> None:
    preset = PRESETS[method][OLD_CONFIGS[method]["preset"]]
    with pytest.raises(RunError, match=f"^setting '{old}' is now called '{new}': use that name$"):
        settings.apply(preset, [f"{old}=1"])


def groups(config: Any) -> list[Any]:
    """A config and all dataclasses in it."""
    values = [getattr(config, field.name) for field in dataclasses.fields(config)]
    return [config, *(group for value in values if dataclasses.is_dataclass(value) for group in groups(value))]


@pytest.mark.parametrize("method", sorted(PRESETS))
def test_old_names_are_not_current_names(method: str) -> None:
    for group in groups(next(iter(PRESETS[method].values()))):
        names = {field.name for field in dataclasses.fields(group)}
        assert not names & current_names(type(group)).keys()
