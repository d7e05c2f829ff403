"""The telemetry spec: the mapping of hooks to spans, events and attributes, as data."""
