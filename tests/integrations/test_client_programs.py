"""Programs that call a provider's client, under a real service, read from its API."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.stories import EXAMPLES, ROOT, Story, view
from tests.support.services.model_provider import RECEIVED, SENT, ModelProvider, calls, says
from tests.support.services.process import Service

STORIES = [
    Story(
        (EXAMPLES / "openai_client.py",),
        "It is 3.\n",
        """\
What is 1 + 2?: 2 LLM calls, 1 tool calls, 20 + 10 tokens, 0 duplicates
invoke_agent calculator user: What is 1 + 2? -> It is 3.
  chat gpt-5.5 (1) user: What is 1 + 2? -> calls add
  execute_tool add {"a":1,"b":2} -> {"result":3}
  chat gpt-5.5 (3) tool: 3 -> It is 3.
""",
        session_id="openai-example",
    ),
    Story(
        (EXAMPLES / "anthropic_client.py",),
        "It is 3.\n",
        """\
What is 1 + 2?: 2 LLM calls, 1 tool calls, 20 + 10 tokens, 4 duplicates
invoke_agent tool_runner user: What is 1 + 2? -> It is 3.
  chat claude-opus-5-5 (1) user: What is 1 + 2? -> calls add
  execute_tool add {"a":1,"b":2} -> {"result":"3"}
  chat claude-opus-5-5 (1) tool: 3 -> It is 3.
""",
        session_id="anthropic-example",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_what_a_program_does_is_on_the_trace(
    service: Service,
    provider: ModelProvider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    story: Story,
) -> None:
    for name, value in provider.environment.items():
        monkeypatch.setenv(name, value)
    provider.script += [calls("add", {"a": 1, "b": 2}), says("It is 3.")]
    story.check(service, tmp_path)


ASKS = re.compile(r"\b(?:responses|completions|messages)\.create\(")
NEEDS_MORE = ("workload_identity", "path/to/", "AioHttp", "unwrap", "    raise exc")


def readme_scripts(package: str) -> list[str]:
    """Return the scripts in a client's own description that ask a model, and need nothing else."""
    about: Any = metadata(package)
    text: str = about.get_payload()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [
        block
        for block in blocks
        if ASKS.search(block)
        and re.search(r"^from (openai|anthropic) import", block, re.MULTILINE)
        and not any(one in block for one in NEEDS_MORE)
    ]


RUN_ALL = """
import json, sys

for script in json.load(open(sys.argv[1])):
    exec(compile(script, "script", "exec"), {"__name__": "__main__"})
"""


@pytest.mark.slow
def test_the_scripts_of_the_clients_own_pages_are_watched_unchanged(
    service: Service, provider: ModelProvider, tmp_path: Path
) -> None:
    scripts = [*readme_scripts("openai"), *readme_scripts("anthropic")]
    assert len(scripts) >= 8
    (tmp_path / "all.py").write_text(RUN_ALL)
    (tmp_path / "scripts.json").write_text(json.dumps(scripts))
    before = {one["id"] for one in service.get("/sessions")["sessions"]}
    own = {name: value for name, value in os.environ.items() if "INSPECTOR" not in name}
    done = subprocess.run(
        [sys.executable, "-m", "inspector", "run", "all.py", "scripts.json"],
        env={
            **own,
            **provider.environment,
            "PYTHONPATH": str(ROOT),
            "INSPECTOR_URL": service.url,
            "INSPECTOR_TOKEN": service.token,
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr

    sessions = [one for one in service.get("/sessions")["sessions"] if one["id"] not in before]
    rows = [
        row
        for session in sessions
        for row in service.get(f"/sessions/{session['id']}/spans")["spans"]
        if row["kind"] == "llm" and row["duplicate_of"] is None
    ]
    assert len(rows) == len(provider.requests) == len(scripts)
    assert sum(one["input_tokens"] for one in sessions) == SENT * len(scripts)
    assert sum(one["output_tokens"] for one in sessions) == RECEIVED * len(scripts)
    assert all(row["cost_usd"] > 0 for row in rows)
    questions = {_text_of(message) for row in rows for message in view(service, row)["messages"]}
    for request in provider.requests:
        sent: Any = request.body.get("input", request.body.get("messages"))
        assert (sent if isinstance(sent, str) else sent[-1]["content"]) in questions


def _text_of(message: Any) -> str:
    return "".join(part.get("text") or "" for part in message["parts"])
