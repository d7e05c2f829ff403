"""Files of telemetry: bytes become export requests, requests become ended sessions."""
