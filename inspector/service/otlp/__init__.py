"""OTLP input: bytes become `IncomingSpan` and `IncomingLog`. Knows no HTTP, and no store."""
