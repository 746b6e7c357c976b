"""Architectures: text, limits, one-line errors."""

import dataclasses
import json

import pytest

from boardwright.errors import BoardwrightError, NetError
from boardwright.nets.config import NetConfig, config_of


def test_size_as_text() -> None:
    config = NetConfig(heads="by-role").sized("8x128")
    assert (config.blocks, config.width, config.heads, config.size) == (8, 128, "by-role", "8x128")
    assert config.sized(config.size) == config


@pytest.mark.parametrize("text", ["", "8", "8x", "x128", "8x128x2", "-8x128", "8 x 128", "٨x128", "8x99999"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(NetError, match="such as 8x128"):
        NetConfig().sized(text)


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
        ({"pool_every": -1}, "pool_every"),
        ({"policy": "spatial"}, "policy: 'spatial' is not one of conv, dense"),
        ({"value": None}, "value"),
        ({"value_hidden": 0}, "value_hidden"),
        ({"heads": ["shared"]}, "heads"),
        ({"auxiliary": "margin"}, "auxiliary: expected a list"),
        ({"auxiliary": ["margin", "score"]}, "'score' is not one of ownership, margin, plies"),
        ({"auxiliary": ["margin", "margin"]}, "names one twice"),
        ({"widht": 64}, "did you mean 'width'"),
    ],
)
def test_contradictions_are_refused_in_one_line(options: dict, complaint: str) -> None:
    with pytest.raises(BoardwrightError, match=complaint) as caught:
        config_of(options)
    assert "\n" not in str(caught.value)


def test_json_and_back() -> None:
    config = NetConfig(blocks=2, pool_every=2, value="wdl", auxiliary=("ownership", "plies"))
    assert config_of(json.loads(json.dumps(dataclasses.asdict(config)))) == config
    assert config_of({}) == NetConfig()
