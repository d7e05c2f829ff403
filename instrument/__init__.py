"""A tiny hook bus for agents: standard library only."""
