#!/usr/bin/env bash
# The TablutZero paper: our run, the first 22 minutes of the paper's run, and the page of results. Rerun it to resume.
# The published run of `tablut-paper` had a dense policy head and no gradient clipping. The preset now follows the paper,
# so its figures will differ. Without `--minutes 22` the run trains to its end, in over an hour. The last command plays
# the nets that the two runs had after eight minutes against each other, and then 16,000 games to measure which side each
# rule set favours; the published page has those of the rule set `tablutzero`.
set -e
boardwright train alphazero tablut --preset tablut-fast --out tablutzero/tablut-fast
boardwright train alphazero tablut --preset tablut-paper --minutes 22 --out tablutzero/tablut-paper
boardwright paper tablutzero --train none --minutes 8 --runs tablutzero --work tablutzero --out .
