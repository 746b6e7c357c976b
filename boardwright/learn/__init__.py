"""Learning by self-play, and what a run of it keeps on disk. See docs/run-folder.md."""
