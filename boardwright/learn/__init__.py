"""Learning by self-play, and what a run of it keeps on disk. See docs/reference/files.md."""
