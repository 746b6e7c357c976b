"""Designing an Effective Tablut Artificial Intelligence: its six tables and our targets."""
