"""Our agents as engines for other programs, over stdin and stdout."""
