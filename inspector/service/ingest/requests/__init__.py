"""Requests, their answers, and commands to agents: the rules, without I/O."""
