"""Architectures: text, limits, one-line errors."""

import json

import pytest

from boardwright.errors import BoardwrightError, NetError
from boardwright.nets.config import EvaluationConfig, NetConfig, PlainConfig, config_of, options_of


def test_size_as_text() -> None:
    config = NetConfig(heads="by-role").sized("8x128")
    assert (config.blocks, config.width, config.heads, config.size) == (8, 128, "by-role", "8x128")
    assert config.sized(config.size) == config


@pytest.mark.parametrize("text", ["", "8", "8x", "x128", "8x128x2", "-8x128", "8 x 128", "٨x128", "8x99999"])
def test_sizes_out_of_range_are_refused(text: str) -> None:
    with pytest.raises(NetError, match="such as 8x128"):
        NetConfig().sized(text)


def test_size_text_of_plain_nets() -> None:
    assert PlainConfig().size == "plain 32-64-64-128"
    assert PlainConfig(convolutions=(16,)).size == "plain 16"


def test_size_text_of_evaluation_nets() -> None:
    assert EvaluationConfig().size == "evaluation 128-16"
    assert config_of(options_of(EvaluationConfig(width=32, phases=2))) == EvaluationConfig(width=32, phases=2)


def test_meaning_of_the_value() -> None:
    configs = (NetConfig(), NetConfig(value="wdl"), NetConfig(value="linear"), PlainConfig(value_hidden=(8,)))
    assert [config.predicts_results for config in configs] == [True, True, False, False]
    assert all(config.has_value for config in configs)
    assert not PlainConfig().has_value


def test_pooling_blocks() -> None:
    assert [block for block in range(6) if NetConfig(pool_every=3).pools(block)] == [2, 5]
    assert not any(NetConfig().pools(block) for block in range(6))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"blocks": 0}, "blocks: expected a whole number from 1 to 128, not 0"),
        ({"blocks": True}, "blocks"),
        ({"width": 3}, "width"),
        ({"width": 1 << 20}, "width"),
        ({"width": 64.0}, "width"),
        ({"patch": 0}, "patch: expected a whole number from 1 to 8, not 0"),
        ({"pool_every": -1}, "pool_every"),
        ({"policy": "spatial"}, "policy: 'spatial' is not one of conv, planes, dense, table"),
        ({"value": None}, "value"),
        ({"value_hidden": 0}, "value_hidden"),
        ({"heads": ["shared"]}, "heads"),
        ({"auxiliary": "margin"}, "auxiliary: expected a list"),
        ({"auxiliary": ["margin", "score"]}, "'score' is not one of ownership, margin, plies"),
        ({"auxiliary": ["margin", "margin"]}, "names one twice"),
        ({"widht": 64}, "did you mean 'width'"),
        ({"kind": "plane"}, "kind of net 'plane': did you mean 'plain'"),
        ({"kind": "plain", "width": 64}, "unknown net option 'width'"),
        ({"kind": "plain", "convolutions": []}, "convolutions: expected at least one"),
        ({"kind": "plain", "convolutions": 32}, "convolutions: expected a list"),
        ({"kind": "plain", "convolutions": [32, 0]}, "convolutions: expected a whole number from 1 to 2048, not 0"),
        ({"kind": "plain", "convolutions": [1] * 65}, "convolutions: expected a list of at most 64"),
        ({"kind": "plain", "policy_hidden": None}, "policy_hidden: expected a list"),
        ({"kind": "plain", "value_hidden": [True]}, "value_hidden"),
        ({"kind": "plain", "stride": 0}, "stride"),
    ],
)
def test_contradictions_are_refused_in_one_line(options: dict, complaint: str) -> None:
    with pytest.raises(BoardwrightError, match=complaint) as caught:
        config_of(options)
    assert "\n" not in str(caught.value)


def test_json_and_back() -> None:
    for config in (
        NetConfig(blocks=2, patch=2, pool_every=2, value="wdl", auxiliary=("ownership", "plies")),
        PlainConfig(convolutions=(32, 64), stride=2, encoder_hidden=(128,), latent=32, value_hidden=()),
        PlainConfig(),
    ):
        assert config_of(json.loads(json.dumps(options_of(config)))) == config
    assert config_of({}) == NetConfig()
    assert "kind" not in options_of(NetConfig())  # as in files from before there were plain nets
