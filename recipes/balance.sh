#!/usr/bin/env bash
# Which side Tablut favours under each of its rule sets, by the nets that ship.
set -e
boardwright balance tablut --net tablut,tablut-mcgill --rules tablutzero,tablutzero-code,saami,mcgill --out .
