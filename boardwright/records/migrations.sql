-- The database of games. Each version adds to those before it; what was released stays as it is.

-- Version 1
CREATE TABLE rule_sets ( -- the rules in full, so that a game can be replayed without its rule file
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    options TEXT NOT NULL, -- JSON, every option of the rule set
    UNIQUE (game, options)
) STRICT;
CREATE TABLE players (
    id INTEGER PRIMARY KEY,
    spec TEXT NOT NULL, -- or a person's name
    version TEXT NOT NULL, -- of boardwright, and checksum of the net; empty for players from elsewhere
    UNIQUE (spec, version)
) STRICT;
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    config TEXT NOT NULL UNIQUE, -- JSON, all that decides which games are played
    began TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
) STRICT;
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    event INTEGER REFERENCES events, -- null for a single game
    number INTEGER NOT NULL, -- which game of the event, from 0
    rule_set INTEGER NOT NULL REFERENCES rule_sets,
    first INTEGER NOT NULL REFERENCES players, -- who had role 0
    second INTEGER NOT NULL REFERENCES players,
    start TEXT, -- the first position, if not that of the rules
    actions BLOB NOT NULL, -- 16 bits each, low byte first
    opening INTEGER NOT NULL, -- how many of the actions were given
    seconds BLOB NOT NULL, -- thinking time of each action, 32-bit floats, low byte first; or nothing
    result INTEGER NOT NULL CHECK (result BETWEEN 0 AND 3), -- role that won, 2 a draw, 3 not over
    reason TEXT NOT NULL,
    resigned INTEGER CHECK (resigned BETWEEN 0 AND 1),
    forfeited_by INTEGER CHECK (forfeited_by BETWEEN 0 AND 1),
    remarks TEXT, -- JSON: comments, marks and variations, if any
    tags TEXT NOT NULL, -- JSON: event, date and the like
    stored TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    UNIQUE (event, number) -- no game twice, even with several writers
) STRICT;
CREATE INDEX games_for_ratings ON games (rule_set, first, second, result);

-- Version 2
CREATE TABLE matches (
    id INTEGER PRIMARY KEY,
    event INTEGER NOT NULL REFERENCES events,
    games INTEGER NOT NULL, -- target
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'stopped', 'failed')),
    error TEXT NOT NULL, -- why it failed, or nothing
    asked TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
) STRICT;

-- Version 3
CREATE TABLE live_games ( -- of a person against a player, written after every move; `records/live.py`
    id TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    rules TEXT NOT NULL, -- name of a rule set that ships
    start TEXT, -- the first position, if not that of the rules
    actions BLOB NOT NULL, -- as in games
    seconds BLOB NOT NULL, -- as in games
    person INTEGER NOT NULL CHECK (person BETWEEN 0 AND 1), -- which role
    opponent TEXT NOT NULL, -- spec
    clock TEXT, -- JSON: base and increment, and what is left to each role, in seconds; null for none
    undone INTEGER NOT NULL, -- moves taken back
    result INTEGER NOT NULL CHECK (result BETWEEN 0 AND 3), -- as in games
    reason TEXT NOT NULL,
    version INTEGER NOT NULL, -- rises with every change
    created TEXT NOT NULL -- UTC, like 2025-01-31T18:00:00Z
) STRICT;
CREATE INDEX open_live_games ON live_games (result) WHERE result = 3;

-- Version 4
-- Shipped rule sets under their current names, `Game.old_rule_names`.
UPDATE OR IGNORE rule_sets SET options = current_options(game, options);
UPDATE rule_sets SET name = json_extract(options, '$.name')
    WHERE json_valid(options) AND json_type(options, '$.name') = 'text';
UPDATE OR IGNORE events SET config = current_config(config);
UPDATE live_games SET rules = current_rule_name(game, rules);
