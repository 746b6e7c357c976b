"""Hypothesis strategies for what users make up."""

from hypothesis import strategies as st

rule_names = st.text(min_size=1, max_size=60).filter(str.isprintable)
