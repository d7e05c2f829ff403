"""The inspector: agent side and service."""
