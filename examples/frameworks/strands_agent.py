"""Strands Agents, watched: `inspector.attach()` is all. `inspector serve` runs beside."""

import inspector

inspector.attach()

from strands import Agent, tool
from strands.models.model import Model


@tool
def letter_count(word: str, letter: str) -> int:
    """Count a letter in a word."""
    if len(letter) != 1:
        raise ValueError(f"not one letter: {letter!r}")
    return word.count(letter)


class Pocket(Model):
    """A model that needs no network: it counts a letter of the last word of its prompt."""

    async def stream(self, messages, tool_specs=None, system_prompt=None, **kwargs):
        block = messages[-1]["content"][0]
        yield {"messageStart": {"role": "assistant"}}
        if "toolResult" in block:
            yield {
                "contentBlockDelta": {"delta": {"text": block["toolResult"]["content"][0]["text"]}}
            }
        else:
            letter, word = block["text"].split(" in ")
            use = {"name": "letter_count", "toolUseId": f"count-{letter}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            arguments = f'{{"word": "{word}", "letter": "{letter}"}}'
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": arguments}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if "toolResult" in block else "tool_use"}}
        usage = {"inputTokens": 12, "outputTokens": 3, "totalTokens": 15}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}

    async def structured_output(self, *args, **kwargs):
        raise NotImplementedError
        yield

    def get_config(self):
        return {"model_id": "pocket-1"}

    def update_config(self, **config):
        pass


agent = Agent(model=Pocket(), tools=[letter_count], name="clerk", callback_handler=None)
for question in ("r in strawberry", "rr in strawberry", "b in strawberry"):
    print(question, "=", str(agent(question)).strip())
