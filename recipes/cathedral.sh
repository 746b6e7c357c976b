#!/usr/bin/env bash
# The Cathedral paper: our variants of its DQN, PPO and VAE, our best of both, their matches, and the page of results.
# `bash cathedral.sh 4 12` uses four processes for games in the scalar engine, and trains twelve runs at once.
# Rerun it to resume.
set -e
boardwright paper cathedral --seeds 12 --workers "${1:-1}" --at-once "${2:-1}" --work cathedral-work --out .
