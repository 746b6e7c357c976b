#!/usr/bin/env bash
# How fast AlphaZero, DQN and PPO learn, on one large GPU.
set -e
boardwright bench selfplay tablut --net 8x128 --sims 128
boardwright bench selfplay tablut --net 8x128 --sims 32
boardwright train alphazero tablut --preset tablut-paper --set iterations=3 --out paper
boardwright train dqn cathedral --preset cathedral-paper --out dqn
boardwright train ppo cathedral --preset cathedral-paper-kl --out ppo
