"""Evaluation of positions by a net on the CPU, through onnxruntime: for play, without JAX.

`build` makes the graph from a net file alone, batch norms folded into their convolutions. Inputs: `observation`
[N, rows, columns, planes] float32 and `role` [N] int32, the role to move. Outputs, from its side: `policy_logits`
[N, num_actions], `value` [N] (from -1 to 1, of a linear head any number, 0 where there is no head), and `wdl_logits`
[N, 3] (win, draw, loss) where the net has them. Inside, channels come before rows and columns, as onnxruntime wants
them; weights that know places on the board are reordered here once rather than the data each time.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from boardwright.errors import NetError
from boardwright.games.base import CHANCE, Game, PolicyTable, Position
from boardwright.nets import netfile
from boardwright.nets.config import EvaluationConfig, NetConfig, PlainConfig, without_policy
from boardwright.nets.layout import EPSILON
from boardwright.nets.netfile import NetFile

OPSET, IR_VERSION = 17, 8  # old enough for every onnxruntime we allow
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
        graph = build(self.net).SerializeToString()
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


def build(net: NetFile) -> onnx.ModelProto:
    """The graph of a net; raises NetError for one that has no policy."""
    if isinstance(net.config, EvaluationConfig):
        raise without_policy(f"net file {net.path}", net.path)
    builder = _PlainBuilder(net) if isinstance(net.config, PlainConfig) else _ResidualBuilder(net)
    builder.net()
    config, interface = net.config, net.interface
    value_info, float32 = helper.make_tensor_value_info, TensorProto.FLOAT
    observation = value_info("observation", float32, ["N", *interface.observation_shape])
    inputs = [observation, value_info("role", TensorProto.INT32, ["N"])]
    outputs = [value_info("policy_logits", float32, ["N", interface.num_actions]), value_info("value", float32, ["N"])]
    if isinstance(config, NetConfig) and config.value == "wdl":
        outputs.append(value_info("wdl_logits", float32, ["N", 3]))
    graph = helper.make_graph(builder.nodes, f"{net.game} {config.size}", inputs, outputs, builder.constants)
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="boardwright"
    )


class _Builder:
    """Collects nodes and constants; every method adds what it names and returns the name of its output."""

    def __init__(self, net: NetFile):
        self.config: Any = net.config
        self.interface, self.weights = net.interface, net.weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def as_actions(self, by_head: list[str], patch: int = 1) -> None:
        """The policy in the order of the game's action numbers, as the role to move calls them.

        A convolutional head gives it channels first, and a patch's cells one after the other in the channels.
        """
        places = self.interface.places
        if self.interface.policy_planes is not None:
            rows, columns, _ = self.interface.observation_shape
            cell, plane = np.divmod(places, self.interface.policy_planes)
            row, column = np.divmod(cell, columns)
            channel = (row % patch * patch + column % patch) * self.interface.policy_planes + plane
            places = (channel * (rows // patch) + row // patch) * (columns // patch) + column // patch
        if np.array_equal(places[0], places[1]):
            self.gather(self.of_mover(by_head), places[0], output="policy_logits")
        else:
            by_role = [self.gather(by_head[0], places[0]), self.gather(by_head[-1], places[1])]
            self.of_mover(by_role, output="policy_logits")

    def as_value(self, column: str) -> None:
        """[N, 1] as the value [N]."""
        self.node("Squeeze", column, self.constant(np.array([1])), output="value")

    def gather(self, x: str, places: np.ndarray, output: str | None = None) -> str:
        return self.node("Gather", x, self.constant(places.astype(np.int64)), axis=1, output=output)

    def of_mover(self, by_role: list[str], output: str | None = None) -> str:
        """The output of the head of the role to move, or of the only head."""
        if len(by_role) == 1:
            return self.node("Identity", by_role[0], output=output)
        second = self.node("Equal", "role", self.constant(np.array([1], np.int32)))
        column = self.node("Unsqueeze", second, self.constant(np.array([1])))
        return self.node("Where", column, by_role[1], by_role[0], output=output)

    def conv(self, x: str, kernel: np.ndarray, bias: np.ndarray, stride: int = 1) -> str:
        """kernel: [rows, columns, in, out]."""
        pad, shape = kernel.shape[0] // 2, list(kernel.shape[:2])
        weights = self.constant(kernel.transpose(3, 2, 0, 1))
        return self.node(
            "Conv", x, weights, self.constant(bias), pads=[pad] * 4, kernel_shape=shape, strides=[stride] * 2
        )

    def dense(self, name: str, x: str, channels: int | None = None) -> str:
        """A dense layer on [N, n], or on [N, channels, rows, columns], which its kernel has with the channels last."""
        kernel, bias = self.layer(name)
        if channels is not None:
            x = self.node("Flatten", x, axis=1)
            kernel = kernel.reshape(-1, channels, kernel.shape[1]).swapaxes(0, 1).reshape(kernel.shape)
        return self.node("Gemm", x, self.constant(kernel), self.constant(bias))

    def layer(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Kernel and bias."""
        return self.weights[f"params/{name}/kernel"], self.weights[f"params/{name}/bias"]

    def node(self, kind: str, *inputs: str, output: str | None = None, outputs: int = 1, **attributes: Any) -> Any:
        """The name of the node's output, or a list of them where it has several."""
        number = len(self.nodes)
        names = [output] if output else [f"{kind}_{number}_{place}" for place in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, array: np.ndarray) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name


class _ResidualBuilder(_Builder):
    """Builds the graph of a `NetConfig`."""

    def net(self) -> None:
        x = self.node("Transpose", "observation", perm=[0, 3, 1, 2])
        if self.config.patch > 1:
            x = self.node("SpaceToDepth", x, blocksize=self.config.patch)
        x = self.node("Relu", self.conv_norm("stem", x))
        for block in range(self.config.blocks):
            name = f"block_{block}"
            inner = self.activate(f"{name}/pool", self.conv_norm(f"{name}/conv_0", x), pools=self.config.pools(block))
            x = self.node("Relu", self.node("Add", x, self.conv_norm(f"{name}/conv_1", inner)))
        heads = range(self.config.head_count)
        self.as_actions([self.policy(head, x) for head in heads], self.config.patch)
        self.value([self.value_head(head, x) for head in heads])

    def policy(self, head: int, x: str) -> str:
        """[N, policy outputs], plane by plane where the head is a convolution."""
        name = f"policy_{head}"
        x = self.conv_norm(f"{name}/project", x)
        if self.interface.policy_planes is None:
            x = self.dense(f"{name}/logits", self.node("Relu", x), self.config.policy_channels)
            return x if self.interface.table is None else self.from_table(x, self.interface.table)
        if self.config.policy == "planes":
            return self.node("Flatten", x, axis=1)
        x = self.activate(f"{name}/pool", x, pools=self.config.pool_every > 0)
        return self.node("Flatten", self.conv(x, *self.layer(f"{name}/logits")), axis=1)

    def from_table(self, x: str, table: PolicyTable) -> str:
        """[N, table outputs] -> [N, num_actions]: of an action's two outputs the one that its deciding cell selects."""
        planes = self.node("Gather", "observation", self.constant(np.array(table.planes, np.int64)), axis=3)
        cells = self.node("Flatten", self.node("ReduceMax", planes, axes=[3], keepdims=0), axis=1)
        occupied = self.node("Greater", self.gather(cells, table.cell), self.constant(np.zeros(1, np.float32)))
        return self.node("Where", occupied, self.gather(x, table.index[1]), self.gather(x, table.index[0]))

    def value_head(self, head: int, x: str) -> str:
        """[N, value outputs]."""
        name = f"value_{head}"
        x = self.node("Relu", self.conv_norm(f"{name}/project", x))
        x = self.node("Relu", self.dense(f"{name}/hidden", x, self.config.value_channels))
        return self.dense(f"{name}/output", x)

    def value(self, by_head: list[str]) -> None:
        if self.config.value == "wdl":
            chances = self.node("Softmax", self.of_mover(by_head, output="wdl_logits"), axis=-1)
            self.node("MatMul", chances, self.constant(np.array([1, 0, -1], np.float32)), output="value")
            return
        value = self.of_mover(by_head)
        self.as_value(value if self.config.value == "linear" else self.node("Tanh", value))

    def conv_norm(self, name: str, x: str) -> str:
        """A convolution whose weights already do what the batch norm after it did."""
        scale, bias = (self.weights[f"params/{name}/norm/{part}"] for part in ("scale", "bias"))
        mean, var = (self.weights[f"batch_stats/{name}/norm/{part}"] for part in ("mean", "var"))
        factor = scale / np.sqrt(var + np.float32(EPSILON))
        return self.conv(x, self.weights[f"params/{name}/conv/kernel"] * factor, bias - mean * factor)

    def activate(self, name: str, x: str, *, pools: bool) -> str:
        """A ReLU; of a layer that pools, what its pooled channels say of the whole board is added to the others."""
        if not pools:
            return self.node("Relu", x)
        kernel, bias = self.layer(name)  # [2 pooled, others]
        parts = self.constant(np.array([kernel.shape[0] // 2, kernel.shape[1]]))
        pooled, others = self.node("Split", x, parts, axis=1, outputs=2)
        pooled = self.node("Relu", pooled)
        means, maxima = self.node("GlobalAveragePool", pooled), self.node("GlobalMaxPool", pooled)
        both = self.node("Concat", means, maxima, axis=1)  # [N, 2 pooled, 1, 1]
        return self.node("Relu", self.node("Add", others, self.conv(both, kernel[None, None], bias)))


class _PlainBuilder(_Builder):
    """Builds the graph of a `PlainConfig`."""

    def net(self) -> None:
        config = self.config
        x = self.node("Transpose", "observation", perm=[0, 3, 1, 2])
        for number in range(len(config.convolutions)):
            x = self.node("Relu", self.conv(x, *self.layer(f"encoder/conv_{number}"), config.stride))
        names = [f"encoder/hidden_{number}" for number in range(len(config.encoder_hidden))]
        x, channels = self.rectify(names, x, config.convolutions[-1])
        if config.latent:
            x, channels = self.dense("encoder/latent", x, channels), None
        self.as_actions([self.head("policy", "logits", len(config.policy_hidden), x, channels)])
        if config.value_hidden is None:
            zero = self.constant(np.zeros(1, np.float32))
            self.node("Mul", self.node("Cast", "role", to=TensorProto.FLOAT), zero, output="value")
        else:
            self.as_value(self.head("value", "output", len(config.value_hidden), x, channels))

    def head(self, name: str, last: str, hidden: int, x: str, channels: int | None) -> str:
        """[N, outputs]."""
        names = [f"{name}/hidden_{number}" for number in range(hidden)]
        return self.dense(f"{name}/{last}", *self.rectify(names, x, channels))

    def rectify(self, names: list[str], x: str, channels: int | None) -> tuple[str, int | None]:
        """Dense layers with a ReLU each; also how many channels of a board what they give has: None behind one."""
        for name in names:
            x, channels = self.node("Relu", self.dense(name, x, channels)), None
        return x, channels
