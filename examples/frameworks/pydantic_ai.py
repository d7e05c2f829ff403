"""Pydantic AI: an agent with a tool. Its model is the framework's own fake: it needs no key."""

from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

import inspector

inspector.attach()  # the one line; `inspector serve` runs beside it

agent = Agent(TestModel(), name="weather", instructions="Be concise, reply with one sentence.")


@agent.tool_plain
def forecast(city: str) -> str:
    """Look up tomorrow's weather in a city."""
    return f"It will be sunny in {city}."


print(agent.run_sync("How will the weather be in Lyon?", conversation_id="trip-1").output)
