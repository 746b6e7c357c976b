"""The messages of the socket in words, which OpenAPI has no place for."""

SOCKET = {
    '→ {"type": "watch", "game": ID}': "tell me of a game, as it is and whenever it changes",
    '→ {"type": "unwatch", "game": ID}': "no longer",
    '→ {"type": "watch-match", "match": ID}': "tell me of a match",
    '→ {"type": "unwatch-match", "match": ID}': "no longer",
    '→ {"type": "analyse", "id": NAME, "game", "rules", "start", "actions", "agent", "seconds"}': (
        "have a player think about a position aloud; an analysis of the same name is replaced"
    ),
    '→ {"type": "stop", "id": NAME}': "end an analysis",
    '← {"type": "game", "game": LiveGame}': "a game",
    '← {"type": "match", …}': "a match",
    '← {"type": "preparing", "id": NAME}': "a net is read or a table laid out; thinking follows",
    '← {"type": "info", "id": NAME, "value", "side", "depth", "nodes", "candidates", "line", "waiting", …}': (
        "what the player thinks so far, at most ten times a second; values from -1 to 1, always of role 0; waiting: "
        "others have their turn, it goes on after them"
    ),
    '← {"type": "done", "id": NAME}': "the analysis has ended",
    '← {"type": "error", "id": NAME or null, "error": "one line"}': "what went wrong, with which analysis or game",
}
