"""The tool runner of the `anthropic` client, watched."""

from anthropic import Anthropic, beta_tool

import inspector

inspector.attach()


@beta_tool
def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


client = Anthropic()  # finds its provider by ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY
with inspector.session("anthropic-example"):
    runner = client.beta.messages.tool_runner(
        model="claude-opus-5-5",
        max_tokens=1024,
        tools=[add],
        messages=[{"role": "user", "content": "What is 1 + 2?"}],
    )
    print("".join(block.text for block in runner.until_done().content if block.type == "text"))
