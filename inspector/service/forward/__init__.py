"""Forwarding of received telemetry by OTLP."""
