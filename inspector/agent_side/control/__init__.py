"""The agent's half of control: what it asks people, and what they tell it to do.

Standard library only, and one daemon thread, so that it works whatever the agent is doing.
"""
