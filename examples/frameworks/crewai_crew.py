"""A crew of CrewAI, watched: `inspector.attach()` is all. `inspector serve` runs beside."""

import inspector

inspector.attach()

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.tools import tool


@tool
def letter_count(word: str, letter: str) -> int:
    """Count a letter in a word."""
    if len(letter) != 1:
        raise ValueError(f"not one letter: {letter!r}")
    return word.count(letter)


class Pocket(BaseLLM):
    """A model that needs no network: it counts a letter of the last word of its task."""

    def call(self, messages, tools=None, *args, **kwargs):
        last = messages[-1]
        if last["role"] == "tool":
            return last["content"]
        task = last["content"].split("Current Task: ")[1].split("\n")[0]
        letter, word = task.split(" in ")
        arguments = f'{{"word": "{word}", "letter": "{letter}"}}'
        function = {"name": "letter_count", "arguments": arguments}
        return [{"id": f"count-{letter}", "type": "function", "function": function}]

    def supports_function_calling(self):
        return True

    def get_input_tokens_count(self, *args, **kwargs):
        return 0


clerk = Agent(
    role="clerk",
    goal="Count letters",
    backstory="You count.",
    llm=Pocket(model="pocket-1"),
    tools=[letter_count],
)
task = Task(description="{letter} in strawberry", expected_output="A number", agent=clerk)
crew = Crew(name="counting", agents=[clerk], tasks=[task])
with inspector.session("crewai-example"):
    for letter in ("r", "rr", "b"):
        print(letter, "in strawberry =", crew.kickoff(inputs={"letter": letter}))
