"""Subscribers turn hooks into OpenTelemetry spans."""
