"""DraughtsZero (Hull): what is run and played, the set-up of the paper next to ours, and its claims."""

from collections.abc import Callable

NAME, TITLE, PRESET = "draughts", "DraughtsZero: Learning Draughts through Self-Play", "draughts-paper-variant"
NOT_RUN = "of our variant; the paper's method was not run"
NO_CRITERION = "an untrained net also scores above 0.5, so this criterion can hardly fail; of our variant"
RULES = "paper"  # of the run and its matches
OURS = "ours"  # the net that is trained here, in the results
OPPONENTS = ("random", "alphabeta:depth=1", "alphabeta:depth=4")
PIECES = (5, 6)
SIMULATIONS, QUICK_SIMULATIONS = 100, 4
GAMES, QUICK_GAMES, POSITIONS, QUICK_POSITIONS = 100, 4, 100, 4
QUICK = (
    *("iterations=4", "net.blocks=1", "net.width=8", "search.simulations=4", "selfplay.games=16", "selfplay.steps=32"),
    *("learner.batch_size=16", "learner.steps=8", "gating.games=4", "gating.every=2", "gating.simulations=4"),
    "evaluation.every=0",
)
# How a net is asked: words, and a player of the net in a file.
ASKED: dict[str, Callable[[str, int], str]] = {
    "net alone": lambda net, sims: f"net:net={net}",
    "net + search": lambda net, sims: f"alphazero:net={net},sims={sims},tables=off",
    "net + search + tables": lambda net, sims: f"alphazero:net={net},sims={sims}",
}
# Wins, draws and losses of the net before training, with search and tables, against random: `boardwright match draughts
# alphazero:net=run/nets/000000.net,sims=100 random --rules paper --games 40 --openings ballots`.
UNTRAINED = (35, 4, 1)
SAME, CHOSEN, VARIANT = "same", "same; numbers ours", "**variant**"
SETUP: tuple[tuple[str, str, str, str], ...] = (  # what, published, ours (of the run's settings), difference
    (
        "network",
        "residual, 4 blocks of 64 channels, value head of 32",
        "residual, {net.blocks} blocks of {net.width} channels, value head of {net.value_hidden}",
        SAME,
    ),
    (
        "rules",
        "draw rules not reported",
        "rule set `paper`: drawn at the third repetition, after 40 plies without a capture, or after 200 plies",
        "draw rules ours",
    ),
    (
        "observation",
        "4 planes: white men, white kings, black men, black kings",
        "4 planes: men and kings of the mover and of the opponent, turned for the mover",
        VARIANT,
    ),
    ("actions", "4,096 logits: from and to square", "128 logits: a square and a direction, hop by hop", VARIANT),
    (
        "search",
        "PUCT with plain Q and a constant c; unvisited moves and number of simulations not reported",
        (
            "PUCT with Q scaled to [0, 1] between the lowest and highest of a node, c = {search.pb_c_init:g} plus a "
            "logarithm of the visits, unvisited moves at the lowest value; {search.simulations[0]} simulations"
        ),
        VARIANT,
    ),
    (
        "exploration",
        "Dirichlet noise at the root, temperature in early plies; numbers not reported",
        (
            "the same: α {search.dirichlet_alpha:g}, share {search.dirichlet_fraction:.0%}, "
            "temperature 1 for {search.temperature_plies} plies"
        ),
        CHOSEN,
    ),
    ("self-play", "by the candidate", "by the reference", VARIANT),
    (
        "learning",
        "Adam, squared error, cross-entropy over all logits, L2, clipping; numbers not reported",
        (
            "the same, but cross-entropy over legal moves; learning rate {learner.lr_peak:g}, "
            "batches of {learner.batch_size}"
        ),
        VARIANT,
    ),
    (
        "gating",
        "candidate against reference, colours alternate; numbers not reported",
        "the same: {gating.games} games every {gating.every} iterations, {gating.threshold:.0%}",
        CHOSEN,
    ),
    ("games", "about 100", "{games:,}", VARIANT),
    ("time", "8 hours on an Apple M2", "{minutes:,.1f} minutes on {device}", "not comparable"),
    ("rating", "not reported", "see learning curves", ""),
)
