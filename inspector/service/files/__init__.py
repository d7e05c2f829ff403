"""Files of telemetry: bytes become requests, requests become sessions that are over."""
