"""The bridge from hooks to spans."""
