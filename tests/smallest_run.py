"""The smallest real run of AlphaZero on draughts; tests that train one share what is compiled for it."""

PRESET = "draughts-tiny"
SETTINGS: dict[str, int | str] = {
    "evaluation.every": 0,
    "search.simulations": 2,
    "net.pool_every": 0,
    "net.auxiliary": "",
    "selfplay.games": 4,
    "selfplay.steps": 4,
    "selfplay.full_share": 1,
    "selfplay.unfinished": "bootstrap",
    "league.share": 0,
    "learner.batch_size": 4,
    "learner.steps": 2,
    "learner.policy_surprise_weight": 0,
}
OPTIONS = ["--preset", PRESET, *(word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}"))]
