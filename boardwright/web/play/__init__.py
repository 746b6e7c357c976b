"""Games of a person against a player: state, clock, storage and routes."""
