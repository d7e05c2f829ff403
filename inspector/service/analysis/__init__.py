"""A session made readable: its tree, its errors, its cost, and how it differs from another."""
