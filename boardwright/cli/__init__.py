"""The command line: one small file per command, loaded only when asked for."""
