"""Measurements of speed, each a function that returns figures; the command line prints them."""
