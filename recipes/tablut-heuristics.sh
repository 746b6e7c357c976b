#!/usr/bin/env bash
# The six tables of the Tablut heuristics paper; `bash tablut-heuristics.sh 4` plays four games at once.
set -e
boardwright paper tablut-heuristics --time 2s --workers "${1:-1}" --db tablut-heuristics.db --out results
