"""Self-play once more, one game at a time in the scalar engine, to hold that on the device against. Not a test.

Searches are stubs: what a net plays, and what its search is worth, follow from the position's hash, so that both
tell alike who must have moved where.
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import CHANCE, Game, Position
from boardwright.games.batched import without_chance
from boardwright.learn.alphazero import selfplay
from boardwright.learn.alphazero.config import SelfPlayConfig
from boardwright.learn.match.policies import BOTH, Search
from boardwright.mcts.policies import SearchResult
from boardwright.mcts.slots import pack, probabilities

CURRENT, PAST = 0, 1
SHIFTS = (3, 11)  # of the hash, by net: which of the legal actions it plays
QUICK_SHARE = 0.5  # of a policy, from which quick searches are known
ENTROPY, DEPTH = 1.5, 2.0
SQUARES_A_SIDE = 47  # of Cathedral's buildings


def chosen(net: int, low_hash: Any, count: Any) -> Any:
    """Which of the legal actions a net plays."""
    return (low_hash >> SHIFTS[net]) % count


def worth(low_hash: Any) -> Any:
    """What a search finds, from the side of the mover: hopeless in one of 29 positions."""
    hopeless = (low_hash >> 5) % 29 == 0
    return (1 - hopeless) * ((low_hash >> 7) % 64 / 80.0 - 0.4) - hopeless * 0.9


def search_result(**found: Array) -> SearchResult:
    """A result with the fields that self-play reads; the others are None."""
    return SearchResult(**{field.name: found.get(field.name) for field in dataclasses.fields(SearchResult)})  # type: ignore[arg-type]


def stub_search(slots: int, of_past: Array, share: float) -> Search:
    """A net's choice for certain, times `share`; in the last games the past self is asked."""

    def search(key: Array, states: Any) -> SearchResult:
        del key
        games = states.terminated.shape[0]
        moves = pack(states.legal_action_mask, jnp.zeros(states.legal_action_mask.shape), slots)
        low, count = states.hash[:, 0], moves.filled.sum(axis=1).astype(jnp.uint32)
        by_past = jnp.arange(games) >= games - of_past
        slot = jnp.where(by_past, chosen(PAST, low, count), chosen(CURRENT, low, count)).astype(jnp.int32)
        return search_result(
            action=jnp.take_along_axis(moves.actions, slot[:, None], axis=1)[:, 0].astype(jnp.int32),
            slot_actions=moves.actions,
            policy=share * jax.nn.one_hot(slot, slots),
            prior=probabilities(moves.logits),
            value=worth(low).astype(jnp.float32),
            entropy=jnp.full(games, ENTROPY),
            mean_depth=jnp.full(games, DEPTH),
        )

    return search


def on_device(
    game: Game, config: SelfPlayConfig, *, league_games: int, slots: int, steps: int, seed: int
) -> dict[str, Any]:
    """games [S, B] before each step and after it, row, ending, tally [S, ...] after each, as NumPy arrays."""
    env = without_chance(game.batch()) if game.has_chance else game.batch()

    def one_step(carry: Any, step: tuple[Array, Array]) -> Any:
        (games, tally), (key, theirs) = carry, step
        search = functools.partial(stub_search, slots, jnp.where(theirs, league_games, 0))
        quick = search(QUICK_SHARE) if config.full_share < 1 else None
        context = selfplay.StepContext(env, game.learning(), config, True, search(1.0), quick, theirs)
        after, tally, row, ending = selfplay.step(key, games, tally, context)
        return (after, tally), {"before": games, "after": after, "row": row, "ending": ending, "tally": tally}

    @jax.jit
    def play(key: Array) -> Any:
        begin, go_on = jax.random.split(key)
        start = selfplay.new_games(begin, env, config, league_games), selfplay.Tally()
        turns = jax.random.split(go_on, steps), jnp.arange(steps) % 2 == 1
        return jax.lax.scan(one_step, start, turns)[1]

    return jax.device_get(play(jax.random.key(seed)))


@dataclass
class Column:
    """A place for games, one after the other."""

    seat: int  # role of the current net, or BOTH
    position: Position
    opening: int
    may_resign: bool
    serial: int = 0
    would_resign: int | None = None

    @property
    def net(self) -> int:
        """Which net is on move."""
        return CURRENT if self.seat in (BOTH, self.position.role_to_move) else PAST


@dataclass(frozen=True)
class Moment:
    """What is expected of one game in one step."""

    position: Position
    serial: int
    moves: bool
    learned: bool
    value: float  # from the side of role 0
    ending: tuple[float, int, float, np.ndarray, bool] | None  # result, plies, margin, holders, given up


@dataclass
class SlowSelfPlay:
    """Games in the scalar engine; what is drawn at random is read from the device: openings, audits, caps."""

    game: Game
    league_games: int
    resign_below: float
    columns: list[Column] = field(default_factory=list)
    counts: dict[str, Any] = field(
        default_factory=lambda: {
            "moves": 0,
            "learnable": 0,
            "ended": [0, 0, 0],
            "plies": 0,
            "pieces": 0,
            "root_value": 0.0,
            "surprise": 0.0,
            "league": np.zeros((2, 3), int),
            "resigned": 0,
            "audited": [0, 0],
        }
    )

    def begin(self, games: Any) -> None:
        """All games as the device begins them; games [B]."""
        seats = [BOTH] * (len(games.serial) - self.league_games)
        seats += [number % 2 for number in range(self.league_games)]
        self.columns = [self._column(games, number, seat) for number, seat in enumerate(seats)]

    def step(self, after: Any, in_full: bool, theirs: bool) -> list[Moment]:
        """Every game's moment; after: the device's games [B] when the step is over, for what is drawn."""
        moving = [column.seat == BOTH or (column.net == PAST) == theirs for column in self.columns]
        return [
            self._moment(number, column, moving[number], in_full, after) for number, column in enumerate(self.columns)
        ]

    def _moment(self, number: int, column: Column, moves: bool, in_full: bool, after: Any) -> Moment:
        before = column.position
        low, mover, net = before.hash & 0xFFFFFFFF, before.role_to_move, column.net
        in_opening = column.opening > 0
        learned = moves and net == CURRENT and in_full and not in_opening
        value = float(worth(low))
        ending = None
        if moves:
            column.position = self._played(column, low, net, int_hash(after.states.hash[number]))
            column.opening = max(column.opening - 1, 0)
            gives_up = not in_opening and value < self.resign_below
            if gives_up and column.would_resign is None:
                column.would_resign = mover
            ending = self._ending(column, gives_up, mover)
            self._count(column, learned, value * (1 - 2 * mover), before, ending, gives_up)
        moment = Moment(before, column.serial, moves, learned, value * (1 - 2 * mover), ending)
        if ending is not None:
            seat = column.seat if column.seat == BOTH else 1 - column.seat
            self.columns[number] = self._column(after, number, seat, column.serial + 1)
        return moment

    def _played(self, column: Column, low: int, net: int, hash_after: int) -> Position:
        legal = column.position.legal_actions()
        if column.opening == 0:
            return column.position.play(legal[chosen(net, low, len(legal))])
        at_random = [column.position.play(action) for action in legal]
        return next(position for position in at_random if position.hash == hash_after)

    def _ending(self, column: Column, gives_up: bool, mover: int) -> tuple[float, int, float, np.ndarray, bool] | None:
        outcome = column.position.outcome
        if outcome is None and not (gives_up and column.may_resign):
            return None
        winner = 1 - mover if outcome is None else outcome.winner
        result = 0.0 if winner is None else 1.0 - 2 * winner
        return result, column.position.plies, margin(column.position), holders(column.position), outcome is None

    def _count(
        self, column: Column, learned: bool, value: float, before: Position, ending: Any, gives_up: bool
    ) -> None:
        counts = self.counts
        counts["moves"] += 1
        if learned:
            counts["learnable"] += 1
            counts["root_value"] += value
            counts["surprise"] += np.log(before.count_actions())
        if ending is None:
            return
        result, plies, _, held, _ = ending
        counts["ended"][{1.0: 0, -1.0: 1, 0.0: 2}[result]] += 1
        counts["plies"] += plies
        counts["pieces"] += (held > 0).sum()
        counts["resigned"] += column.position.outcome is None
        if column.seat != BOTH:
            own = result if column.seat == 0 else -result
            counts["league"][column.seat][{1.0: 0, 0.0: 1, -1.0: 2}[own]] += 1
        if not column.may_resign and column.would_resign is not None:
            counts["audited"][0] += 1
            counts["audited"][1] += result != (-1.0 if column.would_resign == 0 else 1.0)

    def _column(self, games: Any, number: int, seat: int, serial: int = 0) -> Column:
        position = self.game.start()
        if position.role_to_move == CHANCE:
            position = position.play(int(games.states.current_role[number]))
        return Column(seat, position, int(games.opening[number]), bool(games.may_resign[number]), serial)


def int_hash(halves: Any) -> int:
    """The scalar engine's hash."""
    return int(halves[0]) | int(halves[1]) << 32


def holders(position: Position) -> np.ndarray:
    """[cells] who holds what, as role 1 observes it: no game turns the board for that."""
    planes, names = position.observation(1), position.game.planes
    held = np.zeros(planes.shape[:2], int)
    for plane, name in enumerate(names):
        what = name.split()
        if len(what) == 2 and what[1] in ("men", "kings", "buildings", "territory", "taflmen"):
            held[planes[..., plane] > 0] = {"own": 2, "enemy": 1}[what[0]]
    return held.reshape(-1)


def margin(position: Position) -> float:
    """By how much role 0 is ahead, from the text or the bit boards."""
    if position.game.name == "draughts":
        core: Any = position.core
        return (core.black.bit_count() - core.white.bit_count()) / 12
    drawing = position.text.split()[0]
    return (sum(map(str.isupper, drawing)) - sum(map(str.islower, drawing))) / SQUARES_A_SIDE
