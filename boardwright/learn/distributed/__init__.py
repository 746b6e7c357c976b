"""Devices and processes that share one run."""
