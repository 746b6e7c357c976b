"""Matches, tournaments and what they prove: ratings and tests of strength."""
