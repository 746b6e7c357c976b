#!/usr/bin/env bash
# The Tablut paper: our run, the beginning of the paper's, and the page of results. Goes on where it was stopped. Without
# `--minutes` the paper's run comes to its end, in over an hour. The last command lets them meet after eight
# minutes of each, as published, and then plays 16,000 games to see which side is favoured: the published page has those by the rule set `tablutzero`.
set -e
boardwright train alphazero tablut --preset tablut-fast --out tablutzero/tablut-fast
boardwright train alphazero tablut --preset tablut-paper --minutes 22 --out tablutzero/tablut-paper
boardwright paper tablutzero --train none --minutes 8 --runs tablutzero --work tablutzero --out .
