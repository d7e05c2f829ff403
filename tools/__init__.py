"""Development tools: never part of the distribution."""
