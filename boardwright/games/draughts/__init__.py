"""English draughts (checkers): forced captures, men forward only, short kings."""

COMMANDS = {
    "tablebase": (
        "build, probe and verify the endgame tables of draughts",
        "boardwright.games.draughts.commands.tablebase",
    ),
    "endings": (
        "measure how many theoretically won draughts endings a player wins",
        "boardwright.games.draughts.commands.endings",
    ),
}
