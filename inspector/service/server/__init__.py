"""One process, its listeners and its ports."""
