"""The players that use nets, as specs make them, with nets that have learnt nothing."""

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from stub_nets import SMALL, net_file, walk

import boardwright
from boardwright.agents.base import Limit, choose_move, move_actions
from boardwright.agents.netplayers import draw
from boardwright.agents.players import make_agent
from boardwright.errors import BoardwrightError, NetError
from boardwright.games.base import Game
from boardwright.games.draughts.endgames.tablebase import Tablebase
from boardwright.nets import shipped
from boardwright.nets.evaluator import Evaluator

MADE = Path(__file__).parents[1] / "contract" / "rules"
RULES = [
    ("tablut", "tablutzero"),
    ("tablut", "saami"),
    ("tablut", MADE / "tablut" / "lopsided.json"),
    ("draughts", "wcdf"),
    ("draughts", MADE / "draughts" / "short.toml"),
    ("cathedral", "paper"),
    ("cathedral", "official-6"),
    ("cathedral", MADE / "cathedral" / "coin.toml"),
    ("cathedral", MADE / "cathedral" / "fate.toml"),
]
MAX_PLIES = 150  # plies, in case the rules know no end


@pytest.mark.parametrize(("name", "rules"), RULES, ids=lambda value: Path(value).stem)
def test_whole_games_are_legal(name: str, rules: str | Path, tmp_path: Path) -> None:
    game = boardwright.game(name, rules)
    path = net_file(tmp_path, game)
    pairs = [
        (f"alphazero:net={path},sims=12,batch=4", f"alphazero:net={path},sims=12,gumbel=on"),
        (f"net:net={path}", f"alphazero:net={path},sims=6,temperature=1,seed=3"),
    ]
    for specs in pairs:
        agents = [make_agent(spec, game) for spec in specs]
        position, chance = game.start(), random.Random(2)
        while position.outcome is None and position.plies < MAX_PLIES:
            role = position.role_to_move
            choice = choose_move(agents[role] if role >= 0 else chance.choice(agents), position, Limit())
            if role >= 0:
                assert choice.value is not None
                assert -1 <= choice.value <= 1
                assert sum(choice.policy.values()) == pytest.approx(1, abs=1e-5)
            for action in move_actions(position, choice):
                position = position.play(action)  # raises if illegal
        assert position.plies > 10


@pytest.fixture
def draughts(tmp_path: Path) -> tuple[Game, Path]:
    game = boardwright.game("draughts")
    return game, net_file(tmp_path, game)


def test_search_is_repeatable_and_finds_what_the_net_misses(draughts: tuple[Game, Path]) -> None:
    game, path = draughts
    spec = f"alphazero:net={path},sims=200,threads=2"
    first, second = (make_agent(spec, game).choose(game.start(), Limit()) for _ in range(2))
    assert first == second
    assert first.simulations == sum(first.visits.values()) == 200
    assert len(first.line) > 1
    by_time = make_agent(f"alphazero:net={path},time=50ms", game).choose(game.start(), Limit())
    assert by_time.simulations > 10
    assert make_agent(spec, game).choose(game.start(), Limit(simulations=30)).simulations == 30


def test_one_simulation_plays_policy_or_tables(draughts: tuple[Game, Path]) -> None:
    game, path = draughts
    with_tables, net = make_agent(f"alphazero:net={path},sims=1", game), make_agent(f"net:net={path}", game)
    for seed in range(4):
        position = walk(game, seed, plies=8)
        assert with_tables.choose(position, Limit()).action == net.choose(position, Limit()).action
    won = game.position("B:WK32:BK14,K15,K18")
    plies = Tablebase().probe_position(won).plies
    after = won.play(with_tables.choose(won, Limit()).action)
    assert plies is not None
    assert Tablebase().probe_position(after).plies == plies - 1


def test_gumbel_search_with_a_time_limit_plans_its_simulations(draughts: tuple[Game, Path]) -> None:
    game, path = draughts
    agent = make_agent(f"alphazero:net={path},sims=40,gumbel=on", game)
    assert agent.choose(game.start(), Limit(seconds=60)).simulations == 40
    assert agent.choose(game.start(), Limit(simulations=20)).simulations == 20
    with pytest.raises(BoardwrightError, match="gumbel=on needs a fixed budget: add sims=N"):
        make_agent(f"alphazero:net={path},time=1s,gumbel=on", game)


def test_net_player_plays_the_policy(draughts: tuple[Game, Path]) -> None:
    game, path = draughts
    position = game.start().play("11-15")  # White sees the board as it is, Black turned
    for here in (game.start(), position):
        logits, values = Evaluator(path, game=game).evaluate_positions([here])
        choice = make_agent(f"net:net={path}", game).choose(here, Limit())
        legal = here.legal_actions()
        assert choice.action == legal[int(np.argmax(logits[0, legal]))]
        assert choice.value == pytest.approx(float(values[0]), abs=1e-6)
        softmax = np.exp(logits[0, legal]) / np.exp(logits[0, legal]).sum()
        assert choice.policy == pytest.approx(dict(zip(legal, softmax.tolist(), strict=True)), abs=1e-5)


@pytest.mark.parametrize("spec", ["net:net={},temperature=2", "alphazero:net={},sims=30,temperature=2"])
def test_temperature_varies_moves_and_seed_fixes_them(spec: str, draughts: tuple[Game, Path]) -> None:
    game, path = draughts
    moves = [make_agent(f"{spec.format(path)},seed={seed}", game).choose(game.start(), Limit()) for seed in range(8)]
    assert len({choice.action for choice in moves}) > 1
    assert all(choice.line[0] == choice.action for choice in moves)
    assert make_agent(f"{spec.format(path)},seed=5", game).choose(game.start(), Limit()) == moves[5]


def test_moves_are_drawn_in_proportion() -> None:
    chance = random.Random(1)
    assert draw({4: 0.2, 7: 0.5, 9: 0.3}, 0.0, chance) == 7
    counts = Counter(draw({4: 0.2, 7: 0.5, 9: 0.3, 11: 0.0}, 0.5, chance) for _ in range(4000))
    assert counts.keys() == {4, 7, 9}
    for action, share in {4: 0.04 / 0.38, 7: 0.25 / 0.38, 9: 0.09 / 0.38}.items():
        assert counts[action] / 4000 == pytest.approx(share, abs=0.03)
    assert draw({4: 0.4, 7: 0.6}, 1e-5, chance) == 7


@pytest.mark.parametrize(
    ("name", "observation"), [("draughts", "paper"), ("draughts", "full-3"), ("cathedral", "paper")]
)
def test_net_with_another_observation_plays(name: str, observation: str, tmp_path: Path) -> None:
    game, own = boardwright.game(name), boardwright.game(name, observation=observation)
    path = net_file(tmp_path, own)
    position = game.start().play(game.start().legal_actions()[0])
    position = position.play(position.legal_actions()[0])  # with a past, which the planes of some show
    logits, _ = Evaluator(path, game=own).evaluate_positions([own.play_all(position.actions())])
    choice = make_agent(f"net:net={path}", game).choose(position, Limit())
    assert choice.action == max(position.legal_actions(), key=lambda action: logits[0, action])
    searched = make_agent(f"alphazero:net={path},sims=20", game).choose(position, Limit())
    assert searched == make_agent(f"alphazero:net={path},sims=20", own).choose(position.under(own), Limit())
    other = boardwright.game("tablut")
    with pytest.raises(BoardwrightError, match="position belongs to"):
        make_agent(f"alphazero:net={path},sims=20", game).choose(other.start(), Limit())


def test_wrong_spec_is_refused_and_says_what_is_expected(draughts: tuple[Game, Path], tmp_path: Path) -> None:
    game, path = draughts
    tablut = boardwright.game("tablut")
    for spec, message in (
        ("alphazero:sims=5", r"player 'alphazero' needs a net: alphazero:net=PATH"),
        ("net", r"player 'net' needs a net: net:net=PATH"),
        ("alphazero:net=nowhere", r"net 'nowhere': no such file, and no net of that name ships"),
        (f"alphazero:net={tmp_path}", "no such file"),
        (f"alphazero:net={path},temperature=x", "a number from 0 to 100"),
        (f"alphazero:net={path},temperature=101", "a number from 0 to 100"),
        (f"alphazero:net={path},batch=0", "a whole number from 1 to 4096"),
        (f"alphazero:net={path},tables=nowhere", "off or a folder"),
        (f"net:net={path},sims=4", "unknown option of player 'net' 'sims'"),
    ):
        with pytest.raises(BoardwrightError, match=message) as caught:
            make_agent(spec, game)
        assert "\n" not in str(caught.value)
    with pytest.raises(NetError, match="made for draughts, not tablut"):
        make_agent(f"alphazero:net={path}", tablut)
    (tmp_path / "junk").write_bytes(b"no net")
    with pytest.raises(NetError, match="not a net"):
        make_agent(f"net:net={tmp_path / 'junk'}", game)


def test_a_tree_that_does_not_fit_is_refused(draughts: tuple[Game, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    game, path = draughts

    def no_memory(*sizes: int) -> None:
        raise MemoryError

    monkeypatch.setattr(game, "puct", no_memory)
    with pytest.raises(BoardwrightError, match="not enough memory for a tree of 32768 MB: use a smaller memory=N"):
        make_agent(f"alphazero:net={path},memory=32768", game)


def test_shipped_nets_are_found_by_name(
    draughts: tuple[Game, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, path = draughts
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setattr(shipped, "FOLDER", folder)
    (folder / "checkers.safetensors").write_bytes(path.read_bytes())
    assert make_agent("net:net=checkers", game).choose(game.start(), Limit()).nodes == 1
    with pytest.raises(NetError, match=r"net 'chess': no such file.*these do: checkers$"):
        make_agent("net:net=chess", game)


PLAY = """
import sys
for name in ("jax", "jaxlib", "flax", "optax"):
    sys.modules[name] = None  # importing it fails
import boardwright
from boardwright.agents.base import Limit
from boardwright.agents.netplayers import draw
from boardwright.agents.players import make_agent
game = boardwright.game("tablut")
net = sys.argv[1]
for spec in (f"alphazero:net={net},sims=20", f"alphazero:net={net},sims=20,gumbel=on", f"net:net={net}"):
    print(make_agent(spec, game).choose(game.start(), Limit()).action)
"""


def test_play_needs_no_jax(tmp_path: Path) -> None:
    path = net_file(tmp_path, boardwright.game("tablut"), SMALL)
    done = subprocess.run([sys.executable, "-c", PLAY, str(path)], capture_output=True, check=True, timeout=120)
    assert len(done.stdout.split()) == 3
