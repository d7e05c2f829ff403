"""One page over several services: a reader asks them, and has no store (ADR 0017)."""
