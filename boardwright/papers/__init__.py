"""Published results, as data to be played again with our players."""
