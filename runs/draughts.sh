#!/usr/bin/env bash
# The draughts paper: its run, matches and endings, and the page of results. Goes on where it was stopped.
set -e
boardwright paper draughts --work draughts --out .
