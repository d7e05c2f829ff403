"""Changes on their way to viewers, and commands on their way to agents."""
