"""Figures of runs, and nets of runs prepared for publication."""
