"""Generate the tables of `docs/frameworks.md` from the test results of the adapters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inspector.agent_side.adapters import ADAPTERS
from inspector.agent_side.instrumentors import select_libraries
from tests.integrations.capabilities import CAPABILITIES, DECIDES, FRAMEWORKS, SEES
from tools.pages import ROOT, filled, table

RESULTS = ROOT / "tests" / "integrations" / "results"

TITLES = {
    "mcp": "MCP SDK 2",
    "mcp1": "MCP SDK 1",
    "fastmcp": "FastMCP",
    "mcp_agent": "mcp-agent",
    "strands": "Strands",
    "amplifier": "Amplifier",
    "openai_agents": "OpenAI Agents",
    "claude_agent_sdk": "Claude Agent SDK",
    "pydantic_ai": "Pydantic AI",
    "langchain": "LangChain, LangGraph",
    "adk": "Google ADK",
    "llama_index": "LlamaIndex",
    "crewai": "CrewAI",
    "openai": "OpenAI client",
    "anthropic": "Anthropic client",
}
PAGES = {"mcp_agent": "legacy-patching.md", "mcp1": "frameworks/mcp.md"}


def outputs() -> dict[Path, str]:
    """Return the page."""
    results = {name: _result(name) for name in FRAMEWORKS}
    shown = {name: result for name, result in results.items() if result is not None}
    parts = {
        "versions": _versions(shown),
        "sees": _capabilities("Sees", SEES, shown),
        "decides": _capabilities("Decides", DECIDES, shown),
        "instrumentors": _instrumentors(),
    }
    return filled("frameworks.md", parts)


def _result(framework: str) -> dict[str, Any] | None:
    path = RESULTS / f"{framework}.json"
    if not path.exists():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert set(found["capabilities"]) <= set(CAPABILITIES)
    return found


def _versions(shown: dict[str, dict[str, Any]]) -> str:
    ranges = {adapter.name: adapter.tested for adapter in ADAPTERS}
    rows = []
    for name, result in shown.items():
        page = PAGES.get(name, f"frameworks/{name}.md")
        tested = ranges[name.removesuffix("1")]
        more = f"[{Path(page).name}]({page})" if (ROOT / "docs" / page).exists() else ""
        rows.append(
            f"| {TITLES[name]} | `{FRAMEWORKS[name]}` {result['version']} | {tested} | {more} |"
        )
    return table("| | tested with | supported versions | more |", rows)


def _capabilities(title: str, rows: dict[str, str], shown: dict[str, dict[str, Any]]) -> str:
    names = list(shown)
    lines = [
        "| " + " | ".join([title, *(TITLES[name] for name in names)]) + " |",
        "| --- |" + " :-: |" * len(names),
    ]
    for row, meaning in rows.items():
        marks = ["✓" if shown[name]["capabilities"].get(row) else "" for name in names]
        if any(marks):
            lines.append("| " + " | ".join([meaning, *marks]) + " |")
    return "\n".join(lines)


def _instrumentors() -> str:
    rows = [
        f"| `{one.name}` | `{one.imports}` | `{'`, `'.join(one.instrumentors)}` |"
        for one in select_libraries("on")
    ]
    return table("| name | where a program imports | watched by, the first one preferred |", rows)
