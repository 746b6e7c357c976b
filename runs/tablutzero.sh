#!/usr/bin/env bash
# The Tablut paper: our run, and the page of results. Goes on where it was stopped. `tablut-paper` in the place of
# `tablut-fast`, or beside it, makes the paper's own run (over an hour); the page then tells of it too.
set -e
boardwright train alphazero tablut --preset tablut-fast --out tablutzero/tablut-fast
boardwright paper tablutzero --train none --runs tablutzero --work tablutzero --out .
