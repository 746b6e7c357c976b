"""Games on a Ray cluster: two nodes on this machine, and what is said without any."""

import sys
from itertools import islice

import pytest

from boardwright.arena.backends import RayCluster, play
from boardwright.errors import BoardwrightError


def test_two_nodes_play_the_same_games_as_one_process(event, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        cluster.add_node(num_cpus=1)
        match = event("mc:sims=3", "random", "first-legal")
        assert cluster.address is not None
        together = list(play(match, islice(match.schedule(), 12), RayCluster(cluster.address)))
        alone = {played.index: played.record for played in play(match, islice(match.schedule(), 12))}
        assert len(together) == 12
        assert {played.index: played.record for played in together} == alone
    finally:
        cluster.shutdown()


def test_missing_ray_is_one_line(event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    match = event("random", "random")
    with pytest.raises(BoardwrightError, match=r"pip install -e '\.\[cluster\]'"):
        list(play(match, match.schedule(), RayCluster("auto")))


@pytest.mark.parametrize("address", ["auto", "127.0.0.1:1", "127.0.0.1:99999", "ray://no.such.host.invalid:10001"])
def test_unreachable_cluster_is_one_line(event, address: str) -> None:
    pytest.importorskip("ray")
    match = event("random", "random")
    with pytest.raises(BoardwrightError, match=f"cannot reach the Ray cluster '{address}'"):
        list(play(match, match.schedule(), RayCluster(address)))
