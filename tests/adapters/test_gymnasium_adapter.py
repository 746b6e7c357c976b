"""Gymnasium's own test on every game, and what it does not look at: turns, chance, rewards, training loops."""

import copy
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from race import JUMP, WALK, Core

import boardwright
from boardwright.adapters import gymnasium, pettingzoo
from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.errors import BoardwrightError, IllegalMoveError
from boardwright.games import registry
from boardwright.games.base import CHANCE, Position

CHEAPER = {"cathedral": "paper-6"}
SHAPED = {"name": "shaped", "base": "paper-6", "rewards": "shaped"}
GAMES: list[tuple[str, Any]] = [
    (name, CHEAPER.get(name, registry.game_class(name).default_rules)) for name in registry.game_names()
]
every_game = pytest.mark.parametrize(("game", "rules"), [*GAMES, ("race", "plain")])
every_reward = pytest.mark.parametrize(("game", "rules"), [*GAMES, ("race", "plain"), ("cathedral", SHAPED)])


@pytest.fixture(autouse=True)
def _race_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "race", "race:Race")


class Witness(Agent):
    """An opponent that takes its last legal action and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Position] = []

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        self.asked.append(position)
        return Choice(position.legal_actions()[-1])


def play(env: gymnasium.BoardEnv, rng: np.random.Generator, seed: int | None = None) -> tuple[float, dict[str, Any]]:
    """A game of random actions: its return and its last info."""
    _, info = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        _, reward, over, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        assert not truncated
        total += reward
    return total, info


def played_by(position: Position) -> Iterator[tuple[int, Position]]:
    """Who took each action of a line, and the position after it."""
    here = position.game.start()
    for action in position.actions():
        mover, here = here.role_to_move, here.play(action)
        yield mover, here


def due(position: Position, role: int) -> float:
    """What a whole game pays a role."""
    if hasattr(position.core, "rewards"):
        return sum(after.core.rewards()[role] for _, after in played_by(position))  # type: ignore[attr-defined]
    assert position.outcome is not None
    return 0.0 if position.outcome.winner is None else 1.0 if position.outcome.winner == role else -1.0


@every_game
def test_gymnasium_api(game: str, rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    gym.register("BoardwrightTest-v0", "boardwright.adapters.gymnasium:make", disable_env_checker=True)
    try:
        env = gym.make("BoardwrightTest-v0", game=game, rules=rules)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(env.unwrapped)
    finally:
        del gym.registry["BoardwrightTest-v0"]
    assert registry.game(game, rules).title in capsys.readouterr().out  # it has tried both render modes


@every_reward
def test_games_agree_with_the_scalar_engine(game: str, rules: Any) -> None:
    opponent = Witness()
    env, rng = gymnasium.make(game, rules, opponent=opponent), np.random.default_rng(0)
    for seed in range(6):
        opponent.asked.clear()
        seen, info = env.reset(seed=seed)
        role = env.game.roles.index(info["role"])
        total, over, chosen = 0.0, False, []
        while True:
            position = env._position
            assert env.observation_space.contains(seen)
            assert np.array_equal(seen["observation"], position.observation(role))
            assert np.array_equal(seen["action_mask"], info["action_mask"])
            assert np.array_equal(seen["action_mask"], env.action_masks())
            if over:
                break
            if position.outcome is None:
                assert position.role_to_move == role
                assert np.array_equal(seen["action_mask"], position.legal_mask())
                assert "winner" not in info
                chosen.append(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
            seen, reward, over, _, info = env.step(chosen[-1] if chosen else 0)
            total += reward
        assert not seen["action_mask"].any()
        outcome = env._position.outcome
        assert outcome is not None
        assert info["winner"] == (None if outcome.winner is None else env.game.roles[outcome.winner])
        assert info["reason"] == outcome.reason
        assert total == due(env._position, role)
        movers = list(played_by(env._position))
        assert [after.actions()[-1] for mover, after in movers if mover == role] == chosen
        assert len(opponent.asked) == sum(mover == 1 - role for mover, _ in movers)
        assert all(position.role_to_move == 1 - role for position in opponent.asked)
        with pytest.raises(gym.error.ResetNeeded):
            env.step(0)


def test_rewards_include_the_opponents_moves() -> None:
    env, rng = gymnasium.make("cathedral", SHAPED, opponent="random"), np.random.default_rng(1)
    by_opponent = prizes = 0
    for seed in range(30):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            before = len(env._position.actions())
            _, reward, over, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            role = env.game.roles.index(info["role"])
            paid = [after.core.rewards()[role] for _, after in played_by(env._position)][before:]  # type: ignore[attr-defined]
            assert reward == sum(paid)
            by_opponent += any(paid[1:])
            prizes += over and len(paid) > 1 and abs(paid[-1]) >= 10  # the other side moved last
    assert by_opponent > 5
    assert prizes > 5


def test_rewards_include_chance_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    def rewards(core: Core) -> list[float]:
        return [core.line[-1] + 1.0, -2.0 * core.line[-1] - 2] if core.line else [0.0, 0.0]

    monkeypatch.setattr(Core, "rewards", rewards, raising=False)
    env, rng = gymnasium.make("race"), np.random.default_rng(9)
    for seed in range(20):
        total, info = play(env, rng, seed)
        assert total == due(env._position, env.game.roles.index(info["role"]))
    aec: Any = pettingzoo.env("race")
    for seed in range(20):
        aec.reset(seed=seed)
        totals = dict.fromkeys(aec.possible_agents, 0.0)
        for agent in aec.agent_iter():
            seen, reward, terminated, _, _ = aec.last()
            totals[agent] += reward
            aec.step(None if terminated else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
        position = aec.unwrapped._position
        assert list(totals.values()) == [due(position, 0), due(position, 1)]


def test_race_turns() -> None:
    env, rng = gymnasium.make("race"), np.random.default_rng(2)
    again = beset = fog = before_first_turn = 0
    for seed in range(300):
        _, info = env.reset(seed=seed)
        role = env.game.roles.index(info["role"])
        total, steps, over = 0.0, 0, False
        if "winner" in info:
            before_first_turn += 1
            assert env.action_masks().all()
            assert info["winner"] != info["role"]
            line = env._position.actions()
            _, total, over, _, info = env.step(3)
            assert "illegal" not in info
            assert env._position.actions() == line
            assert not info["action_mask"].any()
        while not over:
            before = len(env._position.actions())
            _, reward, over, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            total, steps = total + reward, steps + 1
            movers = [mover for mover, _ in played_by(env._position)][before:]
            assert movers[0] == role
            assert role not in movers[1:]
            again += movers == [role] and not over
            beset += movers.count(1 - role) > 1
            fog += over and movers[-1] == CHANCE
            assert reward == 0 or over
        assert total == due(env._position, role)
        assert steps == [mover for mover, _ in played_by(env._position)].count(role)
    assert min(again, beset, fog, before_first_turn) > 5


def test_opponent_moves_exactly_when_it_is_to_move() -> None:
    class Walker(Agent):
        def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
            return Choice(WALK)

    env, rng = gymnasium.make("race", opponent=Walker()), np.random.default_rng(3)
    for seed in range(50):
        total, info = play(env, rng, seed)
        role = env.game.roles.index(info["role"])
        line = [(mover, after.actions()[-1]) for mover, after in played_by(env._position)]
        assert (1 - role, JUMP) not in line
        assert total == due(env._position, role)


@pytest.mark.parametrize("opponent", ["random", "mc:sims=4", "random:seed=5"])
def test_the_seed_determines_the_episode(opponent: str) -> None:
    def lines(seeds: list[int | None]) -> list[tuple[str, list[int]]]:
        env, rng = gymnasium.make("cathedral", "paper-6", opponent=opponent), np.random.default_rng(4)
        return [(play(env, rng, seed)[1]["role"], env._position.actions()) for seed in seeds]

    once = lines([7, None, 8, None])
    assert once == lines([7, None, 8, None])
    assert len({tuple(line) for _, line in once}) == 4


def test_chance_and_a_random_opponent_differ_by_seed() -> None:
    env = gymnasium.make("race", role="hares")
    starts = []
    for seed in [*range(40), *range(40)]:
        env.reset(seed=seed)
        starts.append(env._position.actions())
    assert starts[:40] == starts[40:]
    assert len({tuple(start) for start in starts}) > 5
    env = gymnasium.make("draughts", role="white")
    replies = []
    for seed in range(40):
        env.reset(seed=seed)
        replies.append(env._position.actions()[0])
    assert set(replies) == set(env.game.start().legal_actions())


def test_opponent_keeps_its_own_seed() -> None:
    env = gymnasium.make("draughts", role="white", opponent="random:seed=5")
    replies = []
    for seed in range(20):
        env.reset(seed=seed)
        replies.append(env._position.actions()[0])
    assert len(set(replies)) == 1


def test_role_is_drawn_or_chosen_and_the_opponent_begins() -> None:
    env = gymnasium.make("tablut")
    env.reset(seed=0)
    drawn = [env.reset()[1]["role"] for _ in range(200)]
    assert 60 < drawn.count("attackers") < 140
    assert {env.reset(options={"role": "defenders"})[1]["role"] for _ in range(10)} == {"defenders"}
    env = gymnasium.make("tablut", role="defenders")
    assert {env.reset()[1]["role"] for _ in range(10)} == {"defenders"}
    assert len(env._position.actions()) == 1  # the attackers have begun
    assert env.reset(options={"role": "attackers"})[1]["role"] == "attackers"
    assert env._position.actions() == []


@every_game
def test_an_illegal_action_ends_the_episode(game: str, rules: str) -> None:
    env = gymnasium.make(game, rules, role=registry.game_class(game).roles[0])
    for action in (None, -1, env.game.num_actions):
        before, info = env.reset(seed=0)
        assert "winner" not in info
        position = env._position
        if action is None:
            if before["action_mask"].all():  # in a small game all actions may be legal at first
                continue
            action = int(np.flatnonzero(before["action_mask"] == 0)[-1])
        with pytest.raises(IllegalMoveError) as ours:
            position.play(action)
        seen, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert info["illegal"] == str(ours.value)
        assert "winner" not in info
        assert env._position is position
        assert np.array_equal(seen["observation"], before["observation"])
        assert not seen["action_mask"].any()
        assert not env.action_masks().any()


def test_illegal_action_of_the_opponent_is_not_punished() -> None:
    class Cheat(Agent):
        def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
            return Choice(int(np.flatnonzero(~position.legal_mask())[0]))

    env = gymnasium.make("draughts", role="black", opponent=Cheat())
    _, info = env.reset()
    with pytest.raises(IllegalMoveError):
        env.step(int(info["action_mask"].argmax()))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("game", ["draughts", "race"])
def test_copy_continues_the_same_game(duplicate: Any, game: str) -> None:
    env = gymnasium.make(game, observation="paper" if game == "draughts" else None)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        twin, over = duplicate(env), False
        assert twin.game is env.game
        while not over:
            action = int(info["action_mask"].argmax())
            seen, reward, over, _, info = env.step(action)
            twin_seen, twin_reward, twin_over, _, _ = twin.step(action)
            assert (twin_reward, twin_over) == (reward, over)
            assert np.array_equal(twin_seen["observation"], seen["observation"])
            assert twin._position.actions() == env._position.actions()


def test_copy_has_its_own_opponent() -> None:
    env = gymnasium.make("draughts", role="black", opponent="alphabeta:depth=2")
    _, info = env.reset(seed=1)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        action = int(info["action_mask"].argmax())
        seen, *_ = copy.deepcopy(env).step(action)
        assert np.array_equal(twin.step(action)[0]["observation"], seen["observation"])


@pytest.mark.parametrize("observation", [None, "full", "paper"])
def test_observation_modes(observation: str | None) -> None:
    game = boardwright.game("cathedral", "paper-6", observation)
    role = game.roles[0]
    seen = gymnasium.make("cathedral", "paper-6", role, observation=observation).reset()[0]["observation"]
    assert np.array_equal(seen, game.start().observation(0))
    env: Any = pettingzoo.env("cathedral", "paper-6", observation=observation)
    for one in (env, pickle.loads(pickle.dumps(env))):
        one.reset()
        assert np.array_equal(one.observe(role)["observation"], game.start().observation(0))
        assert one.observation_space(role)["observation"].shape == game.observation_shape
    pgx = pytest.importorskip("boardwright.adapters.pgx")
    assert pgx.make("cathedral", "paper-6", observation).observation_shape == game.observation_shape


@every_reward
def test_rllib_style_loop(game: str, rules: Any) -> None:
    """As RLlib turns an AEC environment into one trajectory for each agent, with dicts to observe."""
    env: Any = pettingzoo.env(game, rules)
    rng = np.random.default_rng(5)
    for seed in range(6):
        env.reset(seed=seed)
        trajectories: dict[str, list[tuple[Any, int | None, float]]] = {agent: [] for agent in env.agents}
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            assert not truncated
            assert env.observation_space(agent).contains(seen)
            action = None if terminated else int(rng.choice(np.flatnonzero(seen["action_mask"])))
            trajectories[agent].append((seen, action, reward))
            env.step(action)
        position = env.unwrapped._position
        for role, agent in enumerate(env.possible_agents):
            taken = [action for _, action, _ in trajectories[agent]]
            assert taken.pop() is None  # each agent sees the end once
            assert taken == [after.actions()[-1] for mover, after in played_by(position) if mover == role]
            assert sum(reward for _, _, reward in trajectories[agent]) == due(position, role)
            assert np.array_equal(trajectories[agent][-1][0]["observation"], position.observation(role))


def test_rewards_of_both_agents_are_given_at_every_step() -> None:
    env, rng = pettingzoo.raw_env("cathedral", SHAPED), np.random.default_rng(6)
    during_play = losses = 0
    for seed in range(20):
        env.reset(seed=seed)
        while not all(env.terminations.values()):
            mover = env.agent_selection
            env.step(int(rng.choice(env._position.legal_actions())))
            core: Any = env._position.core
            assert list(env.rewards.values()) == core.rewards()
            assert env._cumulative_rewards[mover] == env.rewards[mover]
            if not all(env.terminations.values()):
                during_play += any(env.rewards.values())
                losses += any(reward < 0 and agent != mover for agent, reward in env.rewards.items())
    assert during_play > 20
    assert losses > 0


@every_reward
def test_cleanrl_style_loop(game: str, rules: Any) -> None:
    """As CleanRL steps a vector of environments and reads the episodes' returns from `infos`."""
    number, enough = 4, 8
    make = lambda: gym.wrappers.RecordEpisodeStatistics(gymnasium.make(game, rules))  # noqa: E731
    envs = gym.vector.SyncVectorEnv([make] * number)
    rng = np.random.default_rng(7)
    seen, _ = envs.reset(seed=8)
    assert seen["observation"].shape == (number, *registry.game(game, rules).observation_shape)
    returns, lengths, episodes, roles = np.zeros(number), np.zeros(number, int), 0, set()
    resets = np.zeros(number, bool)
    while episodes < enough:
        scores = np.where(seen["action_mask"] > 0, rng.gumbel(size=seen["action_mask"].shape), -np.inf)
        seen, rewards, terminated, truncated, infos = envs.step(scores.argmax(axis=-1))
        assert not truncated.any()
        assert "illegal" not in infos
        assert not rewards[resets].any()
        returns += rewards
        lengths += ~resets
        for i in np.flatnonzero(terminated):
            env: Any = envs.envs[i].unwrapped
            role, winner = infos["role"][i], infos["winner"][i]
            assert returns[i] == infos["episode"]["r"][i] == due(env._position, env.game.roles.index(role))
            assert lengths[i] == infos["episode"]["l"][i]
            if rules is not SHAPED:
                assert returns[i] == (0 if winner is None else 1 if winner == role else -1)
            episodes += 1
            roles.add(role)
        returns[terminated] = lengths[terminated] = 0
        resets = terminated
    assert len(roles) == 2


def test_ansi_returns_the_board_and_human_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make("tablut", role="attackers", render_mode="ansi")
    env.reset()
    assert env.render() == str(boardwright.game("tablut").start())
    assert capsys.readouterr().out == ""
    env = gymnasium.make("tablut", role="attackers", render_mode="human")
    env.reset()
    env.step(boardwright.game("tablut").start().legal_actions()[0])
    assert capsys.readouterr().out.count("to move") == 3  # the start, the own move, the reply
    with pytest.warns(UserWarning, match="nothing is rendered"):
        assert gymnasium.make("tablut").render() is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"game": "tabult"}, "unknown game 'tabult': did you mean 'tablut'"),
        ({"rules": "zorro"}, "unknown rule set of tablut 'zorro'"),
        ({"role": "defender"}, "unknown role of tablut 'defender': did you mean 'defenders'"),
        ({"opponent": "rondom"}, "unknown player 'rondom': did you mean 'random'"),
        ({"observation": "some"}, "unknown observation of tablut 'some'"),
        ({"render_mode": "rgb_array"}, "unknown render mode 'rgb_array': known: ansi, human"),
    ],
)
def test_unknown_names_give_one_line_errors(wrong: dict[str, str], message: str) -> None:
    with pytest.raises(BoardwrightError, match=message) as caught:
        gymnasium.make(**wrong)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_unknown_options_give_one_line_errors() -> None:
    env = gymnasium.make("tablut")
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    with pytest.raises(BoardwrightError, match="unknown role of tablut 'king'"):
        env.reset(options={"role": "king"})
    with pytest.raises(BoardwrightError, match="unknown reset option 'roll': did you mean 'role'"):
        env.reset(options={"roll": "attackers"})


def test_jax_is_not_imported() -> None:
    code = "import sys, boardwright.adapters.gymnasium as g; g.make().reset(); assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
