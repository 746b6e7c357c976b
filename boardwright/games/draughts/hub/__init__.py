"""The Hub protocol of draughts programs, from both sides."""
