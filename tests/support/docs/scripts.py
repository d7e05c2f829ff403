"""What the model answers to the program of each start page."""

from __future__ import annotations

from tests.support.services.model_provider import Answer, calls, says

_SUM = [calls("add", {"a": 1, "b": 2}), says("It is 3.")]
SCRIPTS: dict[str, list[Answer]] = {
    "openai": [says("Yes: there are three.")],
    **dict.fromkeys(("anthropic", "langgraph", "pydantic-ai", "openai-agents", "strands"), _SUM),
}
