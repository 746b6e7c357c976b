"""A player as a program that others talk to, over stdin and stdout: three protocols."""
