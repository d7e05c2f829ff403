"""Readable views of a session: its tree, errors, cost and differences from another session."""
