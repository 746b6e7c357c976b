"""Cathedral as a `Game`."""

from typing import ClassVar

from boardwright import _core
from boardwright.errors import IllegalMoveError, PositionError
from boardwright.games import base
from boardwright.games.base import CHANCE, Game, Move, Position, SearchResources, Symmetry
from boardwright.games.cathedral import features, notation
from boardwright.games.cathedral.rules import RULE_SETS, CathedralRules, compile_tables
from boardwright.games.declarations import LadderRow


class Cathedral(Game):
    """Build, wall in and capture; the side with fewer squares in hand wins when neither can build.

    Actions: a piece and its placement (2,969 on ten by ten cells). A side that cannot build is passed
    over, so the other may act several times in a row. Rewards: +1 and -1 to the roles at the end, or
    shaped. Observation: see `features`. Chance moves first where the rules say so.
    """

    name = "cathedral"
    title = "Cathedral"
    roles = ("light", "dark")
    default_rules = "official"
    default_summary = "The official rules: 10 × 10 cells, areas of any size, no claims by a side's first building"
    rule_titles: ClassVar = {
        "official": "Cathedral, official rules, 10 × 10",
        "official-8": "Cathedral, official rules, 8 × 8",
        "official-6": "Cathedral, official rules, 6 × 6",
        "paper": "Cathedral, rules of the Cathedral paper, 8 × 8",
        "paper-6": "Cathedral, rules of the Cathedral paper, 6 × 6",
        "paper-10": "Cathedral, rules of the Cathedral paper, 10 × 10",
    }
    package = "boardwright.games.cathedral"
    game_files = "boardwright.games.cathedral.gamefile"
    rules_type = CathedralRules
    shipped_rules = RULE_SETS
    stateless_actions = True
    max_search_actions = 128  # far fewer than are legal before the board fills
    players = "boardwright.games.cathedral.players:PLAYERS"
    ladder = (
        LadderRow("largest-first", "The largest building that fits", after="mc:sims=1000"),
        LadderRow("greedy", "Greedy (highest immediate reward)", after="mc:sims=1000"),
        LadderRow("greedy-mobility", after="mc:sims=1000"),
        LadderRow("alphabeta:dynamic=on", after="mc-improved:sims=10000"),
    )
    observations = ("full", "paper")
    reasons: ClassVar = ("", "fewer squares left", "equal squares left")
    benchmark = base.Benchmark(perft_rules="paper", perft_depth=3, playout_rules=("official", "paper"))

    def __init__(self, rules: CathedralRules, observation: str = "full"):
        super().__init__(rules, observation)
        self.tables = compile_tables(rules, observation == "full")
        self.engine = _core.Cathedral(self.tables)
        self.num_actions = self.tables.num_actions
        self.planes = features.FULL if observation == "full" else features.PAPER
        self.observation_shape = (rules.size, rules.size, len(self.planes))
        self.has_chance = rules.first != "light"

    def position(self, text: str) -> Position:
        position = Position(self, self.engine.setup(*notation.parse_position(text, self.tables)))
        if position.outcome is None and position.count_actions() == 0:
            raise PositionError(f"position {text!r}: the side to move cannot build, so the other is to move")
        return position

    def alphabeta(self, megabytes: int, threads: int, resources: SearchResources | None = None) -> base.AlphaBetaSearch:
        return _core.CathedralAlphaBeta(self.engine, megabytes, threads)

    def puct(self, megabytes: int, batch: int, seed: int, resources: SearchResources | None = None) -> base.PuctSearch:
        return _core.CathedralPuct(self.engine, megabytes, batch, seed)

    def symmetries(self) -> tuple[Symmetry, ...]:
        return features.symmetries(self.rules, self.observation == "full")

    def policy_planes(self) -> base.PolicyPlanes:
        return features.policy_planes(self.rules.size)

    def position_text(self, core: _core.CathedralPosition) -> str:
        return notation.position_text(core, self.tables)

    def action_text(self, core: _core.CathedralPosition, action: int) -> str:
        return self._moves_by_action(core)[action].text

    def moves(self, core: _core.CathedralPosition) -> list[Move]:
        known = self._moves_by_action(core)
        return [known[action] for action in core.legal_actions()]

    def _moves_by_action(self, core: _core.CathedralPosition) -> tuple[Move, ...]:
        if self.awaits_coin(core):
            return notation.COIN
        return notation.placement_moves(max(core.role_to_move, 0), self.tables)

    def parse_action(self, core: _core.CathedralPosition, text: str) -> int:
        if self.awaits_coin(core):
            if text.strip() in notation.SIDES:
                return notation.SIDES.index(text.strip())
            raise IllegalMoveError(f"move {text!r}: the coin decides first, light or dark")
        return notation.parse_placement(text, max(core.role_to_move, 0), self.tables)

    def awaits_coin(self, core: _core.CathedralPosition) -> bool:
        return self.rules.first == "coin" and core.role_to_move == CHANCE

    def why_illegal(self, core: _core.CathedralPosition, action: int) -> str:
        return notation.why_illegal(action, core, self.tables)
