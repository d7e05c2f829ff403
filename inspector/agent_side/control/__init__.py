"""The agent's side of control: requests to people, and commands from them.

Standard library only, and one daemon thread, so that it works whatever the agent is doing.
"""
