"""Architectures that between them use every option."""

from dataclasses import replace

from sizes import size

from boardwright.nets.config import Architecture, EvaluationConfig, NetConfig, PlainConfig

PLAIN = NetConfig(blocks=1, width=8, policy_channels=4, value_channels=2, value_hidden=8)
POOLED_BY_ROLE = NetConfig(blocks=2, width=12, pool_every=2, policy_channels=5, value="wdl", heads="by-role")
EVERYTHING = replace(
    POOLED_BY_ROLE, blocks=3, width=10, value_channels=3, value_hidden=9, auxiliary=("ownership", "margin", "plies")
)
DENSE = NetConfig(blocks=2, width=8, pool_every=1, policy="dense", policy_channels=2, value_channels=1, value_hidden=8)
DENSE_BY_ROLE = NetConfig(
    blocks=1, width=8, policy="dense", policy_channels=2, value="wdl", heads="by-role", value_hidden=8
)
PLANES = NetConfig(blocks=1, width=8, policy="planes", heads="by-role", value_hidden=8)
TABLE = NetConfig(blocks=1, width=8, policy="table", policy_channels=2, value_hidden=8)
BY_ROLE = NetConfig(blocks=1, width=8, policy_channels=4, heads="by-role", auxiliary=("margin",))
POOLED = NetConfig(blocks=2, width=12, pool_every=1, policy_channels=4, value="wdl")
LINEAR = NetConfig(blocks=1, width=8, policy_channels=4, value="linear", heads="by-role", value_hidden=8)
BARE = PlainConfig(convolutions=(4, 6), policy_hidden=(9, 7))
CRITIC = PlainConfig(convolutions=(5,), policy_hidden=(), value_hidden=(8,))
ENCODED = PlainConfig(
    convolutions=(4, 5), stride=2, encoder_hidden=(7,), latent=3, policy_hidden=(6,), value_hidden=(5, 4)
)
# For alpha-beta only, so not among those below.
EVALUATION = EvaluationConfig(width=12, hidden=5, phases=3)

VARIATIONS: dict[str, Architecture] = {
    "plain": PLAIN,
    "everything": EVERYTHING,
    "dense": DENSE,
    "dense-by-role": DENSE_BY_ROLE,
    "planes": PLANES,
    "by-role": BY_ROLE,
    "pooled": POOLED,
    "linear": LINEAR,
    "bare": BARE,
    "critic": CRITIC,
    "encoded": ENCODED,
}
GAMES = ("tablut", "draughts", "cathedral")
# Patches need a board of even size.
PATCHED = replace(POOLED_BY_ROLE, patch=2, auxiliary=("ownership", "plies"))
PATCHED_PLANES = NetConfig(blocks=1, width=8, patch=2, policy="planes", value_hidden=8)
PATCHED_DENSE = NetConfig(blocks=1, width=8, patch=2, policy="dense", policy_channels=3, value_hidden=8)
IN_ALL_GAMES = size(0, full=1)  # else each variation in one game, in turn
COMBINATIONS = {
    f"{game}-{name}": (game, config)
    for place, (name, config) in enumerate(VARIATIONS.items())
    for game in (GAMES if IN_ALL_GAMES else GAMES[place % 3 :][:1])
} | {
    f"{game}-{name}": (game, config)
    for game in (("draughts", "cathedral") if IN_ALL_GAMES else ("draughts",))
    for name, config in (("patched", PATCHED), ("patched-planes", PATCHED_PLANES), ("patched-dense", PATCHED_DENSE))
}
COMBINATIONS["draughts-table"] = ("draughts", TABLE)
