"""Generate the table of `docs/legacy-patching.md`: the hooks of mcp-agent 0.2.x and its patches.

The table of patches is `POINTS`; that a hook fires is what the tests found, with
`RECORD_FRAMEWORKS=1`, on the real package.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.agent_side.adapters import find_adapter
from inspector.integrations.mcp_agent.patches import Point
from inspector.integrations.mcp_agent.points import HOOKS_OF_SDK, POINTS
from instrument import CATALOGUE
from tools.pages import ROOT, filled, table

RESULT = ROOT / "tests/integrations/mcp1/mcp_agent_hooks.json"


def outputs() -> dict[Path, str]:
    """Return the page."""
    result: dict[str, Any] = json.loads(RESULT.read_text(encoding="utf-8"))
    hooks = [name for name, hook in CATALOGUE.items() if hook.since in ("1.0", "1.1", "1.2")]
    fired = set(hooks) & set(result["fired"])
    parts = {
        "fired": f"On mcp-agent {result['version']}, with a server over stdio:"
        f" {len(fired)} of {len(hooks)} fire.",
        "tested": find_adapter("mcp_agent").tested,
        "rows": table("| hook | fires | by a patch of |", _rows(hooks, fired)),
    }
    return filled("legacy-patching.md", parts)


def _rows(hooks: list[str], fired: set[str]) -> Iterator[str]:
    for hook in hooks:
        patches = [_place(point) for point in POINTS if hook in point.hooks]
        by = "<br>".join([*patches, *(["the adapter of the MCP SDK"] * (hook in HOOKS_OF_SDK))])
        yield f"| `{hook}` | {'yes' if hook in fired else 'no'} | {by} |"


def _place(point: Point) -> str:
    owner = f"{point.owner}." if point.owner else ""
    names = ", ".join(f"`{owner}{name}`" for name in point.names)
    return f"{names} of every subclass" if point.is_family else names
