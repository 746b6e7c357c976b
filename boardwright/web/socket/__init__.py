"""The WebSocket `/ws`: its messages, and the queue of messages to each page."""
