"""Matches between players, ratings, and the games in the record, over HTTP."""
