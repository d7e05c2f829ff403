"""Delivery of changes to viewers, and of commands to agents."""
