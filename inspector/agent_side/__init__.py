"""The agent's side. Loaded in every child process, so this file imports nothing."""
