#!/usr/bin/env bash
# Which side Tablut favours, by the net that ships.
set -e
boardwright balance tablut --net tablut --rules zero,mcgill --games 512 --simulations 32 --out .
