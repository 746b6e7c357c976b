#!/usr/bin/env bash
# The draughts paper: our variant of its run, matches, endings, and the page of results. Rerun to resume.
set -e
boardwright paper draughts --work draughts --out .
