"""Statistics of game results: scores, confidence intervals, BayesElo ratings, SPRT, crosstables. Pure functions."""
