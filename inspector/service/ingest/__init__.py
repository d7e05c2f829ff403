"""From received telemetry to commits: one writer, one unit of work at a time."""
