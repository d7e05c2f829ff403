"""An agent of OpenAI Agents with one tool, and a model that needs no provider, watched."""

from agents import Agent, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

import inspector

inspector.attach()

USAGE = Usage(requests=1, input_tokens=10, output_tokens=5)


@function_tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


call = function_call("add", {"a": 1, "b": 2}, call_id="call-1")
model = ScriptedModel(
    ModelResponse(output=[item], usage=USAGE, response_id=None)
    for item in (call, assistant_message("It is 3."))
)
agent = Agent("calculator", instructions="Be brief.", model=model, tools=[add])
# A group of runs is a session; the framework's own tracing, which sends to OpenAI, is not needed.
config = RunConfig(group_id="openai-agents-example", tracing_disabled=True)
print(Runner.run_sync(agent, "What is 1 + 2?", run_config=config).final_output)
