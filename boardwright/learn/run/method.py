"""What a learning method is: the steps that the training loop calls, and the services it passes to them."""

import contextlib
import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import jax
from jax import Array

from boardwright.games.base import Game
from boardwright.learn.run import league
from boardwright.learn.run.metrics import Metrics
from boardwright.nets.network import Variables

State = TypeVar("State")  # everything that changes in a run, as one pytree


@dataclass(frozen=True)
class RunObserver:
    """Callbacks of a run; all optional."""

    progress: Callable[[str, int, int], None] = lambda what, done, total: None  # of an iteration
    on_iteration: Callable[[int, int, Mapping[str, float]], None] = lambda iteration, frames, metrics: None
    message: Callable[[str], None] = lambda text: None
    stopped: Callable[[], bool] = lambda: False  # whether to save a checkpoint and stop

    def show_share(self, what: str, total: int, share: float) -> None:
        """Reports progress that is known as a share of a total."""
        self.progress(what, round(share * total), total)


@dataclass(frozen=True)
class MethodContext:
    """Services the loop passes to a method."""

    nets: Path  # folder of the nets by iteration, see `league`
    metrics: Metrics
    observer: RunObserver


class Method(ABC, Generic[State]):
    """A way to learn. Random numbers must come from the seed, the iteration and the chunk alone.

    An iteration is `chunks` calls of `work`, then `gate`, saving the net, `evaluate` and `next_iteration`. Iterations
    and chunks are counted from 0; `gate` and `evaluate` get the number of iterations completed.
    """

    name: ClassVar[str]  # in the command line and in net files
    portable_fields: ClassVar[tuple[str, ...]] = ()  # of a state, see `portable_state`; empty: a run cannot be packed
    best_name: ClassVar[str] = league.BEST  # file of the best net
    uses_all_devices: ClassVar[bool] = False  # else the first alone

    config: Any  # a frozen dataclass with `iterations` among its settings
    game: Game  # that nets are saved for
    chunks: int  # pieces of work in an iteration, below a million
    best_metric: str | None = None  # the net with the highest value is the best; None: the last

    # The state of a new run; jitted, so that its shapes can be found without computing it.
    initialise: Callable[[], State]
    next_iteration: Callable[[State], State]  # the state with the counters of an iteration set to zero

    @property
    def devices(self) -> int:
        """How many devices the method uses."""
        return jax.device_count() if self.uses_all_devices else 1

    def on_devices(self) -> contextlib.AbstractContextManager[str | None]:
        """The context in which all other steps are called; gives a line on how work is split over devices, if it is."""
        return contextlib.nullcontext()

    def initialise_from(self, state: State) -> State:
        """A new state with the weights that the config says to start from."""
        return state

    @abstractmethod
    def work(self, state: State, iteration: int, chunk: int, context: MethodContext) -> tuple[State, Mapping[str, Any]]:
        """The state after one chunk, and the losses of what was learned in it; empty if nothing was."""

    @abstractmethod
    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        """(phase, units done, units in total) after this many chunks of an iteration."""

    @abstractmethod
    def collect_metrics(self, state: State) -> dict[str, float]:
        """Metrics of an iteration at its end, `selfplay/moves` among them."""

    def gate(self, state: State, done: int, context: MethodContext) -> tuple[State, dict[str, float]]:
        """The state after deciding which net plays, and metrics of that decision."""
        return state, {}

    def evaluate(self, state: State, done: int, context: MethodContext) -> dict[str, float]:
        """Metrics of the strength of the net."""
        return {}

    @abstractmethod
    def export_net(self, state: State) -> tuple[Any, Variables]:
        """The architecture and the variables of the net that plays."""

    def save_artifact(
        self, state: State, nets: Path, iteration: int, training: Mapping[str, Any], *, is_best: bool
    ) -> None:
        """Saves the net of an iteration in bfloat16 and, if it is the best, in full precision as `best_name`."""
        architecture, variables = self.export_net(state)
        about: dict[str, Any] = {"config": architecture, "game": self.game, "training": training}
        league.save_net(league.path_of(nets, iteration), variables, **about)
        if is_best:
            league.save_net(nets / self.best_name, variables, full_precision=True, **about)


def fold_in(key: Array, *numbers: Array | int) -> Array:
    """A key that depends on several numbers."""
    return functools.reduce(jax.random.fold_in, numbers, key)
