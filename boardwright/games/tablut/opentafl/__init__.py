"""OpenTafl's formats and its engine protocol: rule records, game files, both sides of the conversation."""
