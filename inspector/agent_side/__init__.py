"""What runs in the agent's process. Every child process loads this: nothing is imported here."""
