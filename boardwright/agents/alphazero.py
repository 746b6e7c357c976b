"""The player that searches with a net: `alphazero:net=PATH,sims=400`.

The search is in `src/core/search/puct.hpp`; this module evaluates its positions in batches and checks its limits.
It needs no JAX.
"""

import math
import random
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from boardwright.agents.alphabeta import TABLES
from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.netplayers import NET, TEMPERATURE, THREADS, Evaluate, draw, find_net, shares
from boardwright.agents.specs import DEFAULT_LIMIT, SEED, SIMULATIONS, TIME, Option, Player, limit_of, on_off, whole
from boardwright.errors import BoardwrightError, OutOfMemoryError
from boardwright.games.base import CHANCE, Game, Position, PuctSearch, SearchResources

REPORT_SECONDS = 0.1  # between reports to a watch


BATCH = Option("batch", "batch size of evaluations", whole(1, 4096), "N", "8")
MEMORY = Option("memory", "size limit of the tree in MB; the search ends there", whole(1, 32768), "N", "256")
GUMBEL = Option("gumbel", "sequential halving at the root instead of PUCT; needs sims", on_off, "on|off", "off")


class AlphaZeroPlayer(Agent):
    """PUCT or Gumbel search with a net. PUCT search keeps its tree between moves.

    `game` and `search` have the net's kind of observation; positions may have another.
    """

    def __init__(
        self,
        game: Game,
        search: PuctSearch,
        evaluate: Evaluate,
        limit: Limit,
        *,
        gumbel: bool = False,
        temperature: float = 0.0,
        seed: int | None = None,
    ):
        self._game, self._search, self._evaluate, self._limit = game, search, evaluate, limit
        self._gumbel, self._temperature, self._random = gumbel, temperature, random.Random(seed)
        self._observations, self._roles = search.observations, search.roles

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The most visited move, or one sampled by temperature; a random one where chance is to move.

        The player's own limit applies if `limit` bounds neither time nor simulations; Gumbel always needs simulations.
        """
        if position.role_to_move == CHANCE:
            return Choice(self._random.choice(position.legal_actions()))
        now = reported = time.perf_counter()
        if limit.seconds is None and limit.simulations is None:
            limit = self._limit
        elif self._gumbel and limit.simulations is None:
            limit = Limit(limit.seconds, simulations=self._limit.simulations)
        end = now + (limit.seconds or math.inf)
        simulations = limit.simulations or 0
        search = self._search
        search.begin(position.under(self._game).core, simulations if self._gumbel else 0)
        forced = position.count_actions() == 1
        took = 0.0  # seconds of the last batch, an estimate for the next
        prior = {} if watch is None else self._prior(position)
        while not search.ready or not (
            forced
            or search.done
            or search.simulations >= simulations > 0
            or now + took >= end
            or (watch is not None and watch.stopped)
        ):
            waiting = search.collect(len(self._roles), simulations)
            if waiting:
                search.apply(*self._evaluate(self._observations[:waiting], self._roles[:waiting]))
            before, now = now, time.perf_counter()
            took = now - before
            if watch is not None and now - reported >= REPORT_SECONDS:
                reported = now
                watch.report(replace(_choice(search), prior=prior))
        return replace(self._sample(_choice(search)), prior=prior)

    def _prior(self, position: Position) -> dict[int, float]:
        """The net's policy by action, without search."""
        legal = position.legal_actions()
        planes = position.under(self._game).observation()[None]
        logits, _ = self._evaluate(planes, np.array([position.role_to_move], np.int32))
        return dict(zip(legal, shares(logits[0, legal]), strict=True))

    def _sample(self, choice: Choice) -> Choice:
        """Samples a move by the player's temperature; never leaves a proven win or enters a proven loss."""
        if self._temperature == 0 or choice.value in (-1.0, 1.0):
            return choice
        report = self._search.report()
        values = dict(zip(report.actions, report.values, strict=True))
        allowed = {action: choice.policy[action] for action, q in values.items() if q != -1.0}
        if not any(allowed.values()):  # every visited move loses
            return choice
        action = draw(allowed, self._temperature, self._random)
        if action == choice.action:
            return choice
        value = values[action] if choice.visits[action] else choice.value
        return Choice(action, value, choice.policy, (action,), choice.nodes, choice.simulations, visits=choice.visits)


def _choice(search: PuctSearch) -> Choice:
    report = search.report()
    actions, visits, line = report.actions, report.visits, report.principal_variation
    return Choice(
        line[0],
        report.value,
        dict(zip(actions, report.policy, strict=True)),
        tuple(line),
        nodes=report.evaluations,
        simulations=report.simulations,
        visits=dict(zip(actions, visits, strict=True)),
        values={action: q for action, count, q in zip(actions, visits, report.values, strict=True) if count},
    )


def _make(game: Game, chosen: Mapping[str, Any]) -> Agent:
    limit = limit_of(chosen, DEFAULT_LIMIT)
    if chosen["gumbel"] and limit.simulations is None:
        raise BoardwrightError("player 'alphazero': gumbel=on needs a fixed budget: add sims=N")
    net = find_net("alphazero", game, chosen)
    game = net.game
    tables = SearchResources(chosen.get("tables", game.shipped_tables))
    seed = chosen.get("seed")
    try:
        search = game.puct(chosen["memory"], chosen["batch"], random.getrandbits(64) if seed is None else seed, tables)
    except MemoryError:
        raise OutOfMemoryError(
            f"player 'alphazero': not enough memory for a tree of {chosen['memory']} MB: use a smaller memory=N"
        ) from None
    options = {"gumbel": chosen["gumbel"], "temperature": chosen["temperature"], "seed": seed}
    return AlphaZeroPlayer(game, search, net.evaluate, limit, **options)


def player(game: Game) -> Player:
    """`alphazero`, with the options that a game supports."""
    has_tables = game.shipped_tables is not None
    summary = "PUCT tree search guided by a net" + (", with endgame tables" if has_tables else "")
    options = (NET, TIME, SIMULATIONS, GUMBEL, TEMPERATURE, BATCH, MEMORY, THREADS, SEED)
    return Player("alphazero", summary, _make, (*options, TABLES) if has_tables else options)
