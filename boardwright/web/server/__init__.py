"""What all parts of the server share: errors, limits, security, database, topics, common schemas."""
