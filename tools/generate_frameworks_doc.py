"""Generate `docs/frameworks.md`, the adapters' capabilities, from their test results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inspector.agent_side.adapters import ADAPTERS
from tests.integrations.capabilities import CAPABILITIES, DECIDES, FRAMEWORKS, SEES

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "tests" / "integrations" / "results"
PAGE = Path("docs/frameworks.md")

TITLES = {
    "mcp": "MCP SDK 2",
    "mcp1": "MCP SDK 1",
    "mcp_agent": "mcp-agent",
    "strands": "Strands",
    "amplifier": "Amplifier",
    "openai_agents": "OpenAI Agents",
    "pydantic_ai": "Pydantic AI",
    "langchain": "LangChain, LangGraph",
}
PAGES = {"mcp_agent": "legacy-patching.md", "mcp1": "frameworks/mcp.md"}

TEXT = """# Frameworks

<!-- Made by `make gen` from tests/integrations/results. Do not edit. -->

One line in the program, and the frameworks that it imports are watched:

```python
import inspector

inspector.attach()
```

Or none: `inspector run my_agent.py`. `inspector.attach(integrations=["langchain"])` or
`INSPECTOR_AUTO_ATTACH=langchain,mcp` names them, `off` leaves them alone.
One agent, server or client only: `inspector.integrations.NAME.attach(agent)`.
An MCP server in a host that nobody can change, such as an editor: `inspector proxy -- COMMAND`.
What is not here and sends OpenTelemetry is [shown as well](conventions.md); it cannot be steered.

A mark stands on tests against the real package: `python -m pytest tests/integrations`.
A version outside the tested range is one warning, and is watched as well as possible.

"""


def outputs() -> dict[Path, str]:
    """Return the page."""
    results = {name: _result(name) for name in FRAMEWORKS}
    shown = {name: result for name, result in results.items() if result is not None}
    parts = [
        TEXT,
        _versions(shown),
        _table("Sees", SEES, shown),
        _table("Decides", DECIDES, shown),
        "No mark: the framework has no such thing, or gives no way to it; its page says which.\n",
    ]
    return {PAGE: "".join(parts)}


def _result(framework: str) -> dict[str, Any] | None:
    path = RESULTS / f"{framework}.json"
    if not path.exists():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert set(found["capabilities"]) <= set(CAPABILITIES)
    return found


def _versions(shown: dict[str, dict[str, Any]]) -> str:
    ranges = {adapter.name: adapter.tested for adapter in ADAPTERS}
    lines = ["| | tested with | watched without a warning | more |", "| --- | --- | --- | --- |"]
    for name, result in shown.items():
        page = PAGES.get(name, f"frameworks/{name}.md")
        tested = ranges[name.removesuffix("1")]
        more = f"[{Path(page).name}]({page})" if (ROOT / "docs" / page).exists() else ""
        lines.append(
            f"| {TITLES[name]} | `{FRAMEWORKS[name]}` {result['version']} | {tested} | {more} |"
        )
    return "\n".join(lines) + "\n\n"


def _table(title: str, rows: dict[str, str], shown: dict[str, dict[str, Any]]) -> str:
    names = list(shown)
    lines = [
        "| " + " | ".join([title, *(TITLES[name] for name in names)]) + " |",
        "| --- |" + " :-: |" * len(names),
    ]
    for row, meaning in rows.items():
        marks = ["✓" if shown[name]["capabilities"].get(row) else "" for name in names]
        if any(marks):
            lines.append("| " + " | ".join([meaning, *marks]) + " |")
    return "\n".join(lines) + "\n\n"
