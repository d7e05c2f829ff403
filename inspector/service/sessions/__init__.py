"""The rules of sessions and processes."""
