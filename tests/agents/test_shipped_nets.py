"""The nets that ship: small enough, of known rules, with where they come from, and each plays."""

import pytest

import boardwright
from boardwright.agents.base import Limit
from boardwright.agents.players import make_agent
from boardwright.arena import ladder
from boardwright.nets import netfile, shipped

MAX_BYTES = 40_000_000  # of all nets together
RECORDED = {"method", "config", "iteration", "frames", "devices", "device_minutes", "commit", "elo", "shipped"}


def test_shipped_nets_are_small() -> None:
    assert sum(shipped.find(name).stat().st_size for name in shipped.names()) <= MAX_BYTES


@pytest.mark.parametrize("name", shipped.names())
def test_shipped_net_has_a_source_and_plays_a_whole_game(name: str) -> None:
    net = netfile.read(shipped.find(name))
    assert net.training.keys() >= RECORDED
    assert net.training["devices"]
    assert net.training["device_minutes"] > 0
    game = boardwright.game(net.game, net.rules["name"])
    specs = [row.spec for row in ladder.rows_of(game, {name: net}) if f"net={name}" in row.spec]
    assert specs, "a net that is not offered as an opponent"
    with_net, other = make_agent(specs[0], game), make_agent("random:seed=1", game)
    position = game.start()
    while position.outcome is None:
        player = with_net if position.role_to_move == 0 else other
        position = position.play(player.choose(position, Limit()).action)
