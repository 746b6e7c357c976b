"""AlphaZero as a method of the training loop: self-play with search, learning, gating and evaluation.

    az = AlphaZero(config)
    state = az.initialise()
    state = az.play(state, iteration, step)        # az.play_chunk steps of self-play, from a step of an iteration on
    state = az.settle(state, iteration)            # once all steps of the iteration are played
    state, losses = az.learn(state, iteration, 0)  # az.learn_chunk steps of learning
    state = az.next_iteration(state)

Used inside `on_devices`, the steps split their work over devices. Games, endings and replay are then on the device of
their column; nets, optimiser and tally are the same everywhere. Random numbers do not depend on how many devices there
are, so that a run is the same on any number of them up to the rounding of sums. With one device nothing changes.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh, NamedSharding

from boardwright.errors import NetError, RunError, reraise_as
from boardwright.learn.alphazero import selfplay
from boardwright.learn.alphazero.config import AlphaZeroConfig, GatingConfig
from boardwright.learn.alphazero.learner import Losses
from boardwright.learn.alphazero.steps import PLAY, Steps, TrainingState, with_weights
from boardwright.learn.distributed.device import chunk_of, on_cpu, out_of_memory_hint
from boardwright.learn.match.matches import SEARCH_CHUNK, MatchResult, play_matches
from boardwright.learn.match.policies import search_policy
from boardwright.learn.reporting.rating import update_ratings
from boardwright.learn.run import league
from boardwright.learn.run.method import Method, MethodContext, fold_in
from boardwright.learn.shared.config import EvaluationMatchesConfig
from boardwright.learn.shared.tally import clear
from boardwright.mcts.split import AXIS, GAMES, NODES, SAME
from boardwright.nets import netfile, shipped
from boardwright.nets.network import Variables, variables_of
from boardwright.nets.resized import weights_for

GATE, EVALUATE = PLAY + 17, PLAY + 18  # uses of random numbers, next to those of `steps`
MAX_PLAYED, MAX_LEARNED = 8, 32  # steps in one call, so that a run can report progress and be stopped
MAX_LEARNED_ON_CPU = 2  # where they are unrolled
PLACEMENT = {"games": GAMES, "first_serial": GAMES, "endings": NODES, "replay": NODES}  # else SAME


class AlphaZero(Method[TrainingState]):
    """A chunk is some steps of self-play in all games, or some steps of learning."""

    name = "alphazero"
    portable_fields = ("learner", "reference", "league")
    uses_all_devices = True

    def __init__(self, config: AlphaZeroConfig):
        self.config = config
        self.steps = Steps(config)
        self.game = self.steps.game
        self._seed = jax.random.key(config.seed)
        self.play_chunk = chunk_of(config.selfplay.steps, MAX_PLAYED, multiple=2 if config.league_games else 1)
        self.learn_chunk = chunk_of(config.learner.steps, MAX_LEARNED_ON_CPU if on_cpu() else MAX_LEARNED)
        self._plays = config.selfplay.steps // self.play_chunk
        self.chunks = self._plays + config.learner.steps // self.learn_chunk
        self._compile()
        self._fold = jax.jit(self.steps.network.fold)
        self._policies = {  # of matches, by simulations
            number: search_policy(
                self.steps.env, self.steps.evaluator, config.search, simulations=number, slots=self.steps.slots
            )
            for number in (config.gating.simulations, config.evaluation.simulations)
        }

    @contextmanager
    def on_devices(self) -> Iterator[str | None]:
        count, processes = jax.device_count(), jax.process_count()
        if count == 1:
            yield None
            return
        games, samples = self.config.selfplay.games, self.config.learner.batch_size
        for path, size in (("selfplay.games", games), ("learner.batch_size", samples)):
            if size % count:
                raise RunError(
                    f"setting {path}: {size} is not divisible by {count}, the number of devices: "
                    f"set it to {-(-size // count) * count}"
                )
        of = f" of {processes} processes" if processes > 1 else ""
        with jax.set_mesh(Mesh(np.asarray(jax.devices()), (AXIS,))):
            self._compile()
            yield f"{count} devices{of}: {games // count} games and {samples // count} samples of a batch on each"

    def initialise_from(self, state: TrainingState) -> TrainingState:
        text = self.config.init_from
        if text is None:
            return state
        with reraise_as(RunError, "setting init_from", NetError):
            net = netfile.read(shipped.find(text))
            weights = weights_for(net, self.game)
        if net.config != self.config.net:
            raise RunError(
                f"setting init_from: {text} is a {net.config.size} net whose architecture differs from net.*: "
                "change net.* to match"
            )
        return with_weights(state, variables_of(weights))

    def work(
        self, state: TrainingState, iteration: int, chunk: int, context: MethodContext
    ) -> tuple[TrainingState, Mapping[str, Any]]:
        if chunk < self._plays:
            with out_of_memory_hint("selfplay.games or search.simulations"):
                if chunk == 0:
                    stack = league.with_past_net(state.league, context.nets, self.config.seed, iteration, self.game)
                    state = state.replace(league=stack)
                state = self.play(state, iteration, chunk * self.play_chunk)
                if chunk == self._plays - 1:
                    state = self.settle(state, iteration)
                return jax.block_until_ready(state), {}
        with out_of_memory_hint("learner.batch_size"):
            first = (chunk - self._plays) * self.learn_chunk
            state, losses = jax.block_until_ready(self.learn(state, iteration, first))
            return state, losses if self.has_enough(state) else {}

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        if chunks <= self._plays:
            return "self-play", chunks * self.play_chunk, self.config.selfplay.steps
        return "learning", (chunks - self._plays) * self.learn_chunk, self.config.learner.steps

    def play(self, state: TrainingState, iteration: int, first: int) -> TrainingState:
        """The state after `play_chunk` steps of self-play, from a step of an iteration on."""
        simulations = self.config.search.at(iteration, self.config.iterations)
        return self._jitted_play(state, iteration, first, self.play_chunk, simulations, self._tables)

    def learn(self, state: TrainingState, iteration: int, first: int) -> tuple[TrainingState, Losses]:
        """The state after `learn_chunk` steps of learning, and their losses; unchanged without enough to learn from."""
        return self._jitted_learn(state, iteration, first, self.learn_chunk, self._tables)

    def collect_metrics(self, state: TrainingState) -> dict[str, float]:
        rate = float(jnp.asarray(self.steps.learner.schedule(int(state.learner.steps))))
        return selfplay.collect_metrics(state.tally) | {"learning_rate": rate}

    def gate(self, state: TrainingState, done: int, context: MethodContext) -> tuple[TrainingState, dict[str, float]]:
        config = self.config.gating
        if not config.games or done % config.every:
            return state, {}
        show = functools.partial(context.observer.show_share, "gating", config.games)
        with out_of_memory_hint("gating.games"):
            key = fold_in(self._seed, GATE, done)
            (score,) = self._play_match(key, state.candidate, [state.reference], config, show)
        promoted = score.points > config.threshold
        if promoted:
            state = state.replace(reference=jax.tree.map(jnp.copy, state.candidate))
        return state, {"gating/score": score.points, "gating/promoted": float(promoted)}

    def evaluate(self, state: TrainingState, done: int, context: MethodContext) -> dict[str, float]:
        config, metrics = self.config.evaluation, context.metrics
        if not league.is_evaluated(config, done):
            return {}
        drawn = league.draw_opponents(config, self.config.seed, done)
        opponents = league.nearest_iterations(context.nets, drawn, before=done)
        show = functools.partial(context.observer.show_share, "evaluation", config.games * len(opponents))
        with out_of_memory_hint("evaluation.games"):
            others = [league.load_net(league.path_of(context.nets, other), self.game) for other in opponents]
            scores = self._play_match(fold_in(self._seed, EVALUATE, done), state.playing, others, config, show)
        for other, score in zip(opponents, scores, strict=True):
            for match in league.matches_between(done, other, score):
                metrics.log_match(match)
        return update_ratings(metrics, done)

    def export_net(self, state: TrainingState) -> tuple[Any, Variables]:
        return self.config.net, state.playing

    def _compile(self) -> None:
        """Compiles the steps for the devices in use, those of the mesh if there is one."""
        steps, mesh = self.steps, jax.sharding.get_mesh()
        placed = everywhere = None
        if not mesh.empty:
            everywhere = NamedSharding(mesh, SAME)
            leaves, structure = jax.tree_util.tree_flatten_with_path(jax.eval_shape(steps.new_state))
            placed = structure.unflatten([NamedSharding(mesh, PLACEMENT.get(path[0].name, SAME)) for path, _ in leaves])
        self._place_everywhere = jax.jit(lambda tree: tree, out_shardings=everywhere)
        jit = functools.partial(jax.jit, donate_argnums=0)
        self.initialise = jax.jit(steps.new_state, out_shardings=placed)
        self.settle = jit(steps.settle, out_shardings=placed)
        self.has_enough = jax.jit(steps.has_enough, out_shardings=everywhere)
        self.next_iteration = jit(lambda state: state.replace(tally=clear(state.tally)), out_shardings=placed)
        self._jitted_play = jit(steps.play, static_argnums=(3, 4), out_shardings=placed)
        self._jitted_learn = jit(steps.learn, static_argnums=3, out_shardings=(placed, everywhere))

    @functools.cached_property
    def _tables(self) -> Any:
        """Endgame tables on all devices in use, if the config needs any."""
        proven = self.steps.proven
        return None if proven is None else self._place_everywhere(proven.tables)

    def _play_match(
        self,
        key: Array,
        net: Variables,
        others: Sequence[Variables],
        config: GatingConfig | EvaluationMatchesConfig,
        show: Callable[[float], None],
    ) -> list[MatchResult]:
        """Results of a net against each of some others."""
        policy = self._policies[config.simulations]
        policies = [policy([self._fold(each) for each in nets], config.opening_plies) for nets in ([net], others)]
        return play_matches(
            key,
            self.steps.env,
            policies,
            openings=config.games // 2,
            groups=len(others),
            opening_plies=config.opening_plies,
            forced=self.config.search.max_forced_plies,
            chunk=SEARCH_CHUNK,
            on_share=show,
        ).results()
