"""Metrics: the database is exact, and TensorBoard's own reader sees the same."""

import math
import sqlite3
import struct
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
from tensorboard.compat.proto.event_pb2 import Event  # type: ignore[attr-defined]

from boardwright.errors import BoardwrightError, RunError
from boardwright.learn.reporting.tensorboard import EventFile, masked_checksum, record
from boardwright.learn.run.metrics import NAME, History, Match, Metrics, progress, read_metrics


def rows(history: History) -> dict[str, list[tuple[int, int, str]]]:
    """All scalars; values as text, for NaN is not itself."""
    return {
        name: [
            (int(iteration), int(frames), repr(float(value)))
            for iteration, frames, value in zip(series.iterations, series.frames, series.values, strict=True)
        ]
        for name, series in history.scalars.items()
    }


def train(folder: Path, iterations: range) -> None:
    with Metrics(folder) as metrics:
        metrics.truncate_after(iterations.start - 1)
        for iteration in iterations:
            metrics.log(iteration, 1000 * iteration, {"loss/policy": 3 / iteration, "loss/value": 0.5**iteration})
            if iteration % 4 == 0:
                metrics.log(iteration, 1000 * iteration, {"evaluation/elo": 10.0 * iteration})
                metrics.log_match(Match(iteration, iteration, iteration - 4, 7, 2, 1, 640))


def seen_by_tensorboard(folder: Path) -> dict[str, list[tuple[int, float]]]:
    reader = EventAccumulator(str(folder / "tensorboard"))
    reader.Reload()
    return {tag: [(event.step, event.value) for event in reader.Scalars(tag)] for tag in reader.Tags()["scalars"]}


def test_resumed_run_has_the_rows_of_an_uninterrupted_one(tmp_path: Path) -> None:
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
    train(tmp_path / "whole", range(1, 21))
    train(tmp_path / "killed", range(1, 15))
    train(tmp_path / "killed", range(11, 18))  # the checkpoint was older than the last metrics
    train(tmp_path / "killed", range(16, 21))
    whole, killed = read_metrics(tmp_path / "whole"), read_metrics(tmp_path / "killed")
    assert rows(whole) == rows(killed)
    assert whole.matches == killed.matches
    assert whole.matches[1] == Match(8, 8, 4, 7, 2, 1, 640)
    assert whole.scalars["evaluation/elo"].frames.tolist() == [4000, 8000, 12000, 16000, 20000]
    assert seen_by_tensorboard(tmp_path / "whole") == seen_by_tensorboard(tmp_path / "killed")


def test_tensorboard_has_the_metrics_of_the_database(tmp_path: Path) -> None:
    train(tmp_path, range(1, 10))
    train(tmp_path, range(5, 8))
    history = read_metrics(tmp_path)
    expected = {
        name: [
            (int(frames), float(np.float32(value))) for frames, value in zip(series.frames, series.values, strict=True)
        ]
        for name, series in history.scalars.items()
    }
    assert seen_by_tensorboard(tmp_path) == expected
    served = EventMultiplexer({"run": str(tmp_path / "tensorboard")}).Reload()  # what its web page is served from
    for name, points in expected.items():
        found = [(event.step, float(event.tensor_proto.float_val[0])) for event in served.Tensors("run", name)]
        assert found == points


def test_numbers_that_are_not_finite(tmp_path: Path) -> None:
    odd = {"nan": math.nan, "plus": math.inf, "minus": -math.inf, "large": 1e300, "whole": 3}
    with Metrics(tmp_path) as metrics:
        metrics.log(1, 10, odd)
        metrics.log(np.int64(2), np.int32(20), {"jax": jnp.float32(0.5), "numpy": np.float64(0.1), "nan": 1.0})
        history = metrics.read()
    expected = {name: [(1, 10, repr(float(value)))] for name, value in odd.items()}
    expected["nan"].append((2, 20, "1.0"))
    assert rows(history) == expected | {"jax": [(2, 20, "0.5")], "numpy": [(2, 20, "0.1")]}
    with sqlite3.connect(tmp_path / NAME) as connection:
        null = connection.execute("SELECT name, iteration FROM scalars WHERE value IS NULL").fetchall()
    assert null == [("nan", 1)]
    seen = seen_by_tensorboard(tmp_path)
    assert math.isnan(seen["nan"][0][1])
    assert [seen[name][0][1] for name in ("plus", "minus", "large", "whole")] == [math.inf, -math.inf, math.inf, 3]


def test_last_value_of_an_iteration_counts(tmp_path: Path) -> None:
    with Metrics(tmp_path) as metrics:
        for value in (1.0, 2.0):
            metrics.log(1, 10, {"loss/total": value})
            metrics.log_match(Match(1, 1, 0, int(value), 0, 0, 9))
        history = metrics.read()
    assert history.scalars["loss/total"].values.tolist() == [2.0]
    assert history.matches == (Match(1, 1, 0, 2, 0, 0, 9),)


def test_metrics_are_readable_during_a_run(tmp_path: Path) -> None:
    with Metrics(tmp_path) as metrics:
        for iteration in range(1, 4):
            metrics.log(iteration, iteration, {"loss/total": 1.0})
            assert read_metrics(tmp_path).scalars["loss/total"].iterations.tolist() == list(range(1, iteration + 1))


def test_new_metrics_are_read_incrementally(tmp_path: Path) -> None:
    train(tmp_path, range(1, 10))
    whole, later = rows(read_metrics(tmp_path)), read_metrics(tmp_path, after=7)
    assert rows(later) == {
        "loss/policy": whole["loss/policy"][7:],
        "loss/value": whole["loss/value"][7:],
        "evaluation/elo": whole["evaluation/elo"],  # of all iterations: later games change what they say
    }
    assert [match.iteration for match in later.matches] == [8]
    assert progress(tmp_path) == (9, 9000)


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"is not a run folder, it has no metrics[.]sqlite: give the --out"):
        read_metrics(tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / NAME).write_bytes(b"something else" * 100)
    with pytest.raises(BoardwrightError, match="is not a database of metrics"):
        read_metrics(tmp_path)
    with pytest.raises(BoardwrightError, match="there is no folder"):
        Metrics(tmp_path / "nowhere")


def test_truncated_record_hides_no_other_records(tmp_path: Path) -> None:
    train(tmp_path, range(1, 4))
    (first,) = (tmp_path / "tensorboard").iterdir()
    first.write_bytes(first.read_bytes()[:-5])  # killed while writing
    train(tmp_path, range(3, 5))
    assert [step for step, _ in seen_by_tensorboard(tmp_path)["loss/policy"]] == [1000, 2000, 3000, 4000]


def test_checksum_is_that_of_the_standard() -> None:
    """The check value of CRC-32C, masked as TensorFlow's record format says."""
    crc = 0xE3069283
    assert masked_checksum(b"123456789") == ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32


@given(data=st.binary(max_size=300))
def test_records_are_framed(data: bytes) -> None:
    framed = record(data)
    assert struct.unpack_from("<Q", framed)[0] == len(data)
    assert framed[12:-4] == data
    assert len(framed) == len(data) + 16


def test_any_step_and_tag_survive(tmp_path: Path) -> None:
    """By Google's own parser: numbers of every length, and letters that are not ASCII."""
    file = EventFile(tmp_path)
    steps = [0, 1, 127, 128, 16383, 16384, 2**31, 2**62]
    for step in steps:
        file.scalars(step, {"größe/“x”": 1.5, "": -0.0})
    file.close()
    data, events = file.path.read_bytes(), []
    while data:
        (length,) = struct.unpack_from("<Q", data)
        events.append(Event.FromString(data[12 : 12 + length]))
        data = data[length + 16 :]
    assert events[0].file_version == "brain.Event:2"
    assert [event.step for event in events[1:]] == steps
    for event in events[1:]:
        assert [(value.tag, value.simple_value) for value in event.summary.value] == [("größe/“x”", 1.5), ("", -0.0)]
