#!/usr/bin/env bash
# Alpha-beta with one second per move against every other classical player, by sequential tests; `bash classical.sh 4` plays
# four games of a test at once. Rerun it to resume.
set -e
workers=${1:-1}

against() { # game, rules, opponent, Elo of the second hypothesis
    boardwright sprt "$1" alphabeta:time=1s "$3" --rules "$2" --elo0 0 --elo1 "$4" --workers "$workers" --max-games 200 --db classical.db
}

for opponent in heuristic-mc mc-expanded mc-improved mc; do against tablut tablutzero $opponent:time=1s 100; done
for opponent in heuristic greedy random first-legal; do against tablut tablutzero $opponent 200; done
against tablut mcgill heuristic-mc:time=1s 100
against tablut mcgill heuristic 200
for opponent in mc-improved mc; do against draughts wcdf $opponent:time=1s 100; done
for opponent in random first-legal; do against draughts wcdf $opponent 200; done
for opponent in mc mc-improved; do against cathedral official $opponent:time=1s 100; done
against cathedral official greedy-mobility 100
for opponent in greedy largest-first random first-legal; do against cathedral official $opponent 200; done
