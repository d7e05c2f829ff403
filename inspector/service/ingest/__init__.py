"""What comes in becomes commits: one writer, one unit of work at a time."""
