"""Architectures that between them use every option."""

from boardwright.nets.config import NetConfig

PLAIN = NetConfig(blocks=1, width=8, policy_channels=4, value_channels=2, value_hidden=8)
EVERYTHING = NetConfig(
    blocks=3,
    width=10,
    pool_every=2,
    policy_channels=7,
    value="wdl",
    value_channels=3,
    value_hidden=9,
    heads="by-role",
    auxiliary=("ownership", "margin", "plies"),
)
DENSE = NetConfig(blocks=2, width=8, pool_every=1, policy="dense", policy_channels=2, value_channels=1, value_hidden=8)
DENSE_BY_ROLE = NetConfig(
    blocks=1, width=8, policy="dense", policy_channels=2, value="wdl", heads="by-role", value_hidden=8
)
BY_ROLE = NetConfig(blocks=1, width=8, policy_channels=4, heads="by-role", auxiliary=("margin",))
POOLED = NetConfig(blocks=2, width=12, pool_every=1, policy_channels=4, value="wdl")

VARIATIONS = {
    "plain": PLAIN,
    "everything": EVERYTHING,
    "dense": DENSE,
    "dense-by-role": DENSE_BY_ROLE,
    "by-role": BY_ROLE,
    "pooled": POOLED,
}
GAMES = ("tablut", "draughts", "cathedral")
