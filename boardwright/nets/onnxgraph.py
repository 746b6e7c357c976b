"""The graph for play, built from a net file alone: no JAX, batch norms folded into their convolutions.

Inputs: `observation` [N, rows, columns, planes] float32 and `role` [N] int32, the role to move.
Outputs, from its side: `policy_logits` [N, num_actions], `value` [N] from -1 to 1, and `wdl_logits` [N, 3]
(win, draw, loss) where the net has them. Inside, channels come before rows and columns, as onnxruntime
wants them; weights that know places on the board are reordered here once rather than the data each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from boardwright.nets.config import pooled_channels
from boardwright.nets.layout import EPSILON
from boardwright.nets.netfile import NetFile

OPSET, IR_VERSION = 17, 8  # old enough for every onnxruntime we allow


def build(net: NetFile) -> onnx.ModelProto:
    """The graph of a net."""
    builder = _Builder(net)
    builder.net()
    config, interface = net.config, net.interface
    inputs = [
        helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["N", *interface.observation_shape]),
        helper.make_tensor_value_info("role", TensorProto.INT32, ["N"]),
    ]
    outputs = [
        helper.make_tensor_value_info("policy_logits", TensorProto.FLOAT, ["N", interface.num_actions]),
        helper.make_tensor_value_info("value", TensorProto.FLOAT, ["N"]),
    ]
    if config.value == "wdl":
        outputs.append(helper.make_tensor_value_info("wdl_logits", TensorProto.FLOAT, ["N", 3]))
    graph = helper.make_graph(builder.nodes, f"{net.game} {config.size}", inputs, outputs, builder.constants)
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="boardwright"
    )


class _Builder:
    """Collects nodes and constants; every method adds what it names and returns the name of its output."""

    def __init__(self, net: NetFile):
        self.config, self.interface, self.weights = net.config, net.interface, net.weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def net(self) -> None:
        planes_first = self.node("Transpose", "observation", perm=[0, 3, 1, 2])
        x = self.node("Relu", self.conv_norm("stem", planes_first))
        for block in range(self.config.blocks):
            x = self.block(block, x)
        heads = range(self.config.head_count)
        self.as_actions([self.policy(head, x) for head in heads])
        self.value([self.value_head(head, x) for head in heads])

    def block(self, block: int, x: str) -> str:
        name = f"block_{block}"
        inner = self.conv_norm(f"{name}/conv_0", x)
        if self.config.pools(block):
            inner = self.pool_bias(f"{name}/pool", inner, self.config.width)
        else:
            inner = self.node("Relu", inner)
        return self.node("Relu", self.node("Add", x, self.conv_norm(f"{name}/conv_1", inner)))

    def policy(self, head: int, x: str) -> str:
        """[N, policy outputs], plane by plane where the head is a convolution."""
        name = f"policy_{head}"
        x = self.conv_norm(f"{name}/project", x)
        if self.interface.policy_planes is None:
            return self.dense_on_board(f"{name}/logits", self.node("Relu", x))
        if self.config.pool_every:
            x = self.pool_bias(f"{name}/pool", x, self.config.policy_channels)
        else:
            x = self.node("Relu", x)
        kernel = self.weights[f"params/{name}/logits/kernel"]
        return self.node("Flatten", self.conv(x, kernel, self.weights[f"params/{name}/logits/bias"]), axis=1)

    def value_head(self, head: int, x: str) -> str:
        """[N, value outputs]."""
        name = f"value_{head}"
        x = self.node("Relu", self.conv_norm(f"{name}/project", x))
        x = self.node("Relu", self.dense_on_board(f"{name}/hidden", x))
        return self.dense(x, self.weights[f"params/{name}/output/kernel"], f"{name}/output")

    def value(self, by_head: list[str]) -> None:
        if self.config.value == "scalar":
            axis = self.constant(np.array([1]))
            self.node("Squeeze", self.node("Tanh", self.of_mover(by_head)), axis, output="value")
            return
        chances = self.node("Softmax", self.of_mover(by_head, output="wdl_logits"), axis=-1)
        self.node("MatMul", chances, self.constant(np.array([1, 0, -1], np.float32)), output="value")

    def as_actions(self, by_head: list[str]) -> None:
        """The policy in the order of the game's action numbers, as the role to move calls them."""
        places = self.interface.places
        if self.interface.policy_planes is not None:
            rows, columns, _ = self.interface.observation_shape
            cell, plane = np.divmod(places, self.interface.policy_planes)
            places = plane * (rows * columns) + cell
        if np.array_equal(places[0], places[1]):
            self.gathered(self.of_mover(by_head), places[0], output="policy_logits")
        else:
            by_role = [self.gathered(by_head[0], places[0]), self.gathered(by_head[-1], places[1])]
            self.of_mover(by_role, output="policy_logits")

    def gathered(self, x: str, places: np.ndarray, output: str | None = None) -> str:
        return self.node("Gather", x, self.constant(places.astype(np.int64)), axis=1, output=output)

    def of_mover(self, by_role: list[str], output: str | None = None) -> str:
        """Of what two heads say, that of the role to move; of one, what it says."""
        if len(by_role) == 1:
            return self.node("Identity", by_role[0], output=output)
        second = self.node("Equal", "role", self.constant(np.array([1], np.int32)))
        column = self.node("Unsqueeze", second, self.constant(np.array([1])))
        return self.node("Where", column, by_role[1], by_role[0], output=output)

    def conv_norm(self, name: str, x: str) -> str:
        """A convolution whose weights already do what the batch norm after it did."""
        scale, bias = (self.weights[f"params/{name}/norm/{part}"] for part in ("scale", "bias"))
        mean, var = (self.weights[f"batch_stats/{name}/norm/{part}"] for part in ("mean", "var"))
        factor = scale / np.sqrt(var + np.float32(EPSILON))
        return self.conv(x, self.weights[f"params/{name}/conv/kernel"] * factor, bias - mean * factor)

    def pool_bias(self, name: str, x: str, channels: int) -> str:
        """What the pooled channels say of the whole board, added to the others."""
        pooled = pooled_channels(channels)
        parts = self.constant(np.array([pooled, channels - pooled]))
        first, others = self.node("Split", x, parts, axis=1, outputs=2)
        first = self.node("Relu", first)
        both = self.node(
            "Concat", self.node("GlobalAveragePool", first), self.node("GlobalMaxPool", first), axis=1
        )  # [N, 2 pooled, 1, 1]
        kernel, bias = self.weights[f"params/{name}/kernel"], self.weights[f"params/{name}/bias"]
        return self.node("Relu", self.node("Add", others, self.conv(both, kernel[None, None], bias)))

    def conv(self, x: str, kernel: np.ndarray, bias: np.ndarray) -> str:
        """kernel: [rows, columns, in, out]."""
        pad = kernel.shape[0] // 2
        weights = self.constant(kernel.transpose(3, 2, 0, 1))
        return self.node("Conv", x, weights, self.constant(bias), pads=[pad] * 4, kernel_shape=list(kernel.shape[:2]))

    def dense_on_board(self, name: str, x: str) -> str:
        """A dense layer on [N, channels, rows, columns] whose kernel knows them with the channels last."""
        rows, columns, _ = self.interface.observation_shape
        kernel = self.weights[f"params/{name}/kernel"]
        outputs = kernel.shape[1]
        reordered = kernel.reshape(rows * columns, -1, outputs).swapaxes(0, 1).reshape(-1, outputs)
        return self.dense(self.node("Flatten", x, axis=1), reordered, name)

    def dense(self, x: str, kernel: np.ndarray, name: str) -> str:
        return self.node("Gemm", x, self.constant(kernel), self.constant(self.weights[f"params/{name}/bias"]))

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
