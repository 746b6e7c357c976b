"""Matches and tournaments: events, backends that play them, ladders, and the balance of roles."""
