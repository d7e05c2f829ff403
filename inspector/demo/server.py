"""The demo's own MCP server: a small project's notes, issues, checks and release desk.

The demo starts it and speaks to it over stdio. It is an ordinary server on the official SDK, and
shows what a trace can hold: structured results, progress, a tool that fails, a tool that asks the
user, a resource and a prompt.
"""

from __future__ import annotations

import asyncio
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer
from mcp.server.mcpserver import Resolve as Ask
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

SPEED_VARIABLE = "INSPECTOR_DEMO_SPEED"
"""Environment variable with the speed-up factor of this server; the demo sets it."""

LIBRARY: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "library.toml").read_text(encoding="utf-8")
)

server = MCPServer(
    "workshop",
    version="1.0.0",
    instructions="Notes, issues, checks and releases of the Lantern project.",
    log_level="ERROR",
)


class NoteHit(BaseModel):
    """One search result."""

    id: str
    title: str
    score: float


class MergedChange(BaseModel):
    """One merged change."""

    id: str
    kind: Literal["breaking", "feature", "fix", "performance"]
    title: str
    detail: str


class Issue(BaseModel):
    """One open issue."""

    number: int
    title: str
    labels: list[str]
    body: str


class CheckReport(BaseModel):
    """The outcome of a suite of checks."""

    suite: str
    passed: int
    failed: list[str]


@server.tool()
async def search_notes(query: str, limit: int = 3) -> list[NoteHit]:
    """Search the engineering notes; best match first."""
    await _work(0.4)
    words = set(query.lower().split())
    scored = [
        NoteHit(id=note["id"], title=note["title"], score=_overlap(words, note))
        for note in LIBRARY["notes"]
    ]
    hits = sorted((hit for hit in scored if hit.score > 0), key=lambda hit: (-hit.score, hit.id))
    return hits[:limit]


@server.tool()
async def read_note(note_id: str) -> str:
    """Read one note in full."""
    await _work(0.2)
    for note in LIBRARY["notes"]:
        if note["id"] == note_id:
            return f"# {note['title']}\n\n{note['text']}"
    raise ToolError(f"There is no note {note_id!r}. Use search_notes to find one.")


@server.tool()
async def survey_notes(question: str, ctx: Context[Any]) -> str:
    """Read every note closely against a question. Thorough, and slow."""
    notes = LIBRARY["notes"]
    for done, note in enumerate(notes):
        await ctx.report_progress(done, len(notes), f"reading {note['id']}")
        await _work(2.5)
    return f"{len(notes)} notes read; none contradicts the others on: {question}"


@server.tool()
async def save_draft(path: str, text: str) -> str:
    """Save a draft in the workspace, for others to read."""
    await _work(0.2)
    # The demo leaves nothing behind on the machine that it runs on.
    return f"Saved {len(text.encode())} bytes as {path}."


@server.tool()
async def changes_since(version: str) -> list[MergedChange]:
    """List the changes merged since a version."""
    await _work(0.6)
    return [MergedChange(**change) for change in LIBRARY["changes"]]


@server.tool()
async def list_issues() -> list[dict[str, Any]]:
    """List the open issues, without their text."""
    await _work(0.5)
    return [{"number": issue["number"], "title": issue["title"]} for issue in LIBRARY["issues"]]


@server.tool()
async def read_issue(number: int) -> Issue:
    """Read one issue in full."""
    await _work(0.3)
    return Issue(**_issue(number))


@server.tool()
async def label_issue(number: int, labels: list[str]) -> str:
    """Set the labels of an issue."""
    await _work(0.2)
    _issue(number)["labels"] = labels
    return f"#{number} is now labelled {', '.join(labels)}."


@server.tool()
async def run_checks(suite: Literal["unit", "slow"], ctx: Context[Any]) -> CheckReport:
    """Run a suite of checks and report the progress of each step."""
    steps = LIBRARY["checks"][suite]
    for done, step in enumerate(steps):
        await ctx.report_progress(done, len(steps), step)
        await _work(0.9)
    await ctx.report_progress(len(steps), len(steps), "done")
    failed = [step for step in steps if step.startswith("memory")]
    return CheckReport(suite=suite, passed=len(steps) - len(failed), failed=failed)


@server.tool()
async def fetch_page(url: str) -> str:
    """Read a page of the documentation from the offline mirror."""
    await _work(1.2)
    for page in LIBRARY["pages"]:
        if page["url"] == url:
            return str(page["text"])
    raise ToolError(f"504: {url} is not in the mirror and its origin did not answer in 1.2 s.")


class PublishForm(BaseModel):
    """The form for the person at the release desk."""

    publish: bool = Field(description="Publish these notes?")
    channel: Literal["stable", "preview"] = Field(
        default="stable", description="Where they appear first"
    )


async def _ask_to_publish(version: str) -> Elicit[PublishForm]:
    return Elicit(f"Publish the release notes of Lantern {version}?", PublishForm)


@server.tool()
async def publish_notes(
    version: str,
    notes: str,
    answer: Annotated[ElicitationResult[PublishForm], Ask(_ask_to_publish)],
) -> str:
    """Publish release notes, once a person has agreed."""
    if not isinstance(answer, AcceptedElicitation):
        return "Not published: nobody at the release desk agreed."
    if not answer.data.publish:
        return "Not published: the person at the release desk said no."
    size_bytes = len(notes.encode())
    return (
        f"Published {size_bytes} bytes as Lantern {version} on the {answer.data.channel} channel."
    )


@server.tool()
async def push_tag(tag: str, remote: str) -> str:
    """Push a release tag: from then on everybody has it."""
    await _work(0.8)
    return f"Pushed {tag} to {remote}."


class CloseForm(BaseModel):
    """The form for the maintainer on duty."""

    close: bool = Field(description="Close them?")
    comment: str = Field(default="Duplicate.", description="Shown on the issue")


async def _ask_to_close(numbers: list[int]) -> Elicit[CloseForm]:
    listed = ", ".join(f"#{number}" for number in numbers)
    return Elicit(f"Close {listed} as duplicates?", CloseForm)


@server.tool()
async def close_issues(
    numbers: list[int],
    answer: Annotated[ElicitationResult[CloseForm], Ask(_ask_to_close)],
) -> str:
    """Close issues, once a person has agreed."""
    if not isinstance(answer, AcceptedElicitation):
        return "Left open: no maintainer on duty agreed."
    if not answer.data.close:
        return "Left open: the maintainer on duty said no."
    return f"Closed {len(numbers)} with the comment {answer.data.comment!r}."


@server.resource("workshop://style-guide", mime_type="text/markdown")
def style_guide() -> str:
    """How Lantern writes for its users."""
    return str(LIBRARY["style_guide"]["text"]).strip()


@server.prompt()
def release_notes(version: str, audience: str) -> str:
    """Ask for release notes."""
    return (
        f"Write the release notes of Lantern {version} for {audience}. "
        "Find out what changed, prove that the checks pass, and have the notes published."
    )


@server.prompt()
def triage(label_set: str) -> str:
    """Ask for a triage of the open issues."""
    return (
        "Triage the open issues of Lantern: read each, label it with one of "
        f"{label_set}, find duplicates and propose what to do next."
    )


@server.prompt()
def research(question: str) -> str:
    """Ask for an answer backed by the engineering notes."""
    return f"{question} Answer from our own notes, say where each number comes from."


def _issue(number: int) -> dict[str, Any]:
    for issue in LIBRARY["issues"]:
        if issue["number"] == number:
            found: dict[str, Any] = issue
            return found
    raise ToolError(f"There is no open issue #{number}.")


def _overlap(words: set[str], note: dict[str, str]) -> float:
    title = f"{note['title']} {note['text']}".lower()
    return round(sum(word in title for word in words) / max(len(words), 1), 2)


async def _work(seconds: float) -> None:
    await asyncio.sleep(seconds / float(os.environ.get(SPEED_VARIABLE, "1")))


if __name__ == "__main__":
    server.run()
