#!/usr/bin/env bash
# Ratings of all players of a game, by the rule sets that were measured; `bash ladders.sh 4` plays four games at once.
# Rerun it to resume. Add `--ship MACHINE` to put the ratings into the package.
set -e
workers=${1:-1}

ladder() { # game, rules, games of every pair
    boardwright ladder "$1" --rules "$2" --games-per-pair "$3" --workers "$workers" --db "ladder-$1-$2.db" --out "ladder-$1-$2.md"
}

ladder tablut tablutzero 20
ladder tablut mcgill 10
ladder draughts wcdf 10
ladder cathedral official 20
ladder cathedral paper 40
