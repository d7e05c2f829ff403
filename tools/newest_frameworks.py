"""Check that pip installs the newest release of each framework beside ours.

Another's pin on a package that we need, too, makes an installer choose an old release of the one
or the other, and say nothing: `python -m tools.newest_frameworks`. Asks the package index.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = "serve,otel"
FRAMEWORKS = (
    *("amplifier-core", "anthropic", "claude-agent-sdk", "crewai", "fastmcp", "google-adk"),
    *("langchain", "langgraph", "llama-index", "mcp", "openai", "openai-agents"),
    *("pydantic-ai-slim", "strands-agents"),
)
"""What adapters are for, by the name that is installed."""
MCP_1 = ("crewai", "strands-agents")
"""Frameworks that need mcp 1.x, where `[mcp]` is 2.x."""


def main() -> None:
    """Print what is chosen for each framework; exit with 1 where that is not the newest."""
    outdated = [name for name in FRAMEWORKS if not _is_newest_beside_ours(name)]
    if outdated:
        raise SystemExit(f"Held back by ours: {', '.join(outdated)}.")


def _is_newest_beside_ours(name: str) -> bool:
    extras = EXTRAS if name in MCP_1 else f"{EXTRAS},mcp"
    alone = _chosen(name, name)
    beside = _chosen(name, f"{name}\n{ROOT}[{extras}]")
    sys.stdout.write(f"{name} {beside}, alone {alone}, beside [{extras}]\n")
    return beside == alone


def _chosen(name: str, requirements: str) -> str | None:
    """Return the version of `name` that an installer chooses; None if there is none."""
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    command = [uv, "pip", "compile", "--quiet", "--no-header", "--no-annotate", "-"]
    answer = subprocess.run(
        [*command, "--python", sys.executable],
        input=requirements,
        cwd=ROOT.parent,  # our pyproject.toml has settings for the lock file
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    found = re.search(rf"^{re.escape(name)}==(\S+)", answer.stdout, re.MULTILINE)
    return found[1] if found else None


if __name__ == "__main__":
    main()
