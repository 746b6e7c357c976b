"""The toy game is right: both engines agree, and it is a draw."""

import jax
import jax.numpy as jnp
import numpy as np
from tictactoe import Core, TicTacToe, observe, set_up, solved
from toy_game import ToyRules


def test_tictactoe_is_a_draw_with_the_known_number_of_positions() -> None:
    worth = solved()
    assert len(worth) == 4520  # 5,478 positions, of which 958 are over
    assert max(worth[(0,) * 9].values()) == 0


def test_the_engines_agree_along_random_games() -> None:
    learning = TicTacToe(ToyRules(), "full").learning()
    rng = np.random.default_rng(3)
    jitted = jax.jit(TicTacToe(ToyRules(), "full").batch().step)
    for _ in range(30):
        core, state = Core(), set_up(jnp.zeros(9, jnp.int8))
        while core.legal_actions():
            assert state.legal_action_mask.tolist() == core.legal_mask().tolist()
            assert observe(state, state.current_role).tolist() == core.observe(core.role_to_move).tolist()
            again = learning.unpack(learning.pack(state))
            assert again.board.tolist() == list(core.board)
            assert int(again.current_role) == int(state.current_role) == core.role_to_move
            action = int(rng.choice(core.legal_actions()))
            core, state = core.play(action), jitted(state, jnp.int32(action), jax.random.key(0))
        assert (int(state.result), int(state.reason), bool(state.terminated)) == (core.result, core.reason, True)
        won = np.array([core.result == 0, core.result == 1], float)
        assert state.rewards.tolist() == (won - won[::-1]).tolist()
        assert state.legal_action_mask.tolist() == [False] * 9
