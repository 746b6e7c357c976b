"""The command line: one small file a command, loaded only when asked for."""
