"""Evaluation of positions by a net on the CPU, through onnxruntime: for play, without JAX."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime

from boardwright.errors import NetError
from boardwright.games.base import CHANCE, Game, Position
from boardwright.nets import netfile, onnxgraph

QUIET = 3  # onnxruntime's level of logging: errors


class Evaluator:
    """A loaded net. Several threads may use it at once."""

    def __init__(self, path: Path, *, game: Game, threads: int = 1):
        """Reads the net and checks that it fits the game; raises NetError. `threads` work on one batch."""
        if not 1 <= threads <= 4 * (os.cpu_count() or 1):
            raise NetError(f"threads must be from 1 to {4 * (os.cpu_count() or 1)} here, not {threads}")
        self.game = game
        self.net = netfile.read(path, game=game)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        # Idle threads sleep: on a busy machine spinning ones cost a third of the speed.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = QUIET
        graph = onnxgraph.build(self.net).SerializeToString()
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def evaluate(self, observations: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(policy logits [N, num_actions], values [N]), float32, from the side of the mover.

        Values are expected results from -1 to 1 if `net.config.predicts_results`, else returns.

        observations: [N, rows, columns, planes] as the mover sees them; roles: [N], who that is, 0 or 1.
        Logits of illegal actions are undefined.
        """
        planes = np.ascontiguousarray(observations, np.float32)
        movers = np.ascontiguousarray(roles, np.int32)
        if len(planes) == 0:  # which onnxruntime refuses
            return np.empty((0, self.game.num_actions), np.float32), np.empty(0, np.float32)
        logits, values = self._session.run(["policy_logits", "value"], {"observation": planes, "role": movers})
        return logits, values  # type: ignore[return-value]

    def evaluate_positions(self, positions: Sequence[Position]) -> tuple[np.ndarray, np.ndarray]:
        """Evaluates positions of this game; in none may chance be to move."""
        for position in positions:
            if position.role_to_move == CHANCE:
                raise NetError(f"position {position.text!r}: chance is to move, so there is nothing to evaluate")
            game = position.game
            if (type(game), game.rules, game.observation) != (type(self.game), self.game.rules, self.game.observation):
                raise NetError(f"position {position.text!r}: of another game, rule set or observation than the net's")
        roles = np.array([position.role_to_move for position in positions], np.int32)
        planes = [position.observation() for position in positions]
        shape = (len(positions), *self.game.observation_shape)
        return self.evaluate(np.array(planes, np.float32).reshape(shape), roles)
