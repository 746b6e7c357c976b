"""Pieces that several learning methods use: encoders, rewards, board files, observation codecs."""
