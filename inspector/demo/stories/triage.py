"""Triage: read every open issue at once, find duplicates, label, ask before closing."""

from __future__ import annotations

import json
import random

from inspector.demo.model import Brief, Script, Turn
from inspector.demo.story import Role, Story

_LABELS = ("bug", "feature", "documentation", "needs-information")


def triage_story(rng: random.Random) -> Story:
    """Return the story of one triage."""
    batch = rng.randint(4, 6)
    return Story(
        name="triage",
        title=f"Triage {batch} open issues",
        prompt_name="triage",
        prompt_arguments={"label_set": ", ".join(_LABELS)},
        # The second one is not there: an agent meets missing resources and goes on without.
        resource_uris=("workshop://style-guide", "workshop://on-call"),
        planner=Role(
            name="triage lead",
            description="Keeps the list of issues short and true.",
            instruction=(
                "You triage issues. Have the reader read them, have the librarian look for what "
                "is known, then label each. Close duplicates only with close_issues, which asks "
                "a person."
            ),
            script=lambda brief: _lead(brief, batch),
            tools=frozenset({"list_issues", "label_issue", "close_issues", "save_draft"}),
            intelligence_priority=0.8,
        ),
        helpers=(
            Role(
                name="reader",
                description="Reads issues and says what each is about.",
                instruction="You read issues closely. One line each: number, kind, why.",
                script=_reader,
                tools=frozenset({"read_issue"}),
                intelligence_priority=0.2,
            ),
            Role(
                name="librarian",
                description="Finds what is already known.",
                instruction="You search notes and pages. Quote what you find; admit what you miss.",
                script=_librarian,
                tools=frozenset({"search_notes", "read_note", "fetch_page"}),
                cites_sources=True,
            ),
        ),
    )


def _lead(brief: Brief, batch: int) -> Script:
    (listed,) = yield Turn("First, what is open.", [("list_issues", {})])
    issues = json.loads(listed)["result"][:batch]
    numbers = [issue["number"] for issue in issues]
    readings, _known = yield Turn(
        f"{len(numbers)} issues. I have them read, and ask what we already know about hangs.",
        [
            ("ask_reader", {"task": f"Read the issues {numbers} and classify each."}),
            ("ask_librarian", {"task": "What do we know about hangs and timeouts?"}),
        ],
    )
    kinds = dict(line.split(" ", 2)[:2] for line in readings.splitlines() if line.startswith("#"))
    yield Turn(
        "Now the labels; they do not depend on each other.",
        [
            ("label_issue", {"number": number, "labels": [kinds.get(f"#{number}", "bug")]})
            for number in numbers
        ],
    )
    (closed,) = yield Turn(
        "Issue 219 describes the same hang as 212: both need `timeout=None` and a connection that "
        "never completes. Closing is for a person to decide.",
        [("close_issues", {"numbers": [219]})],
    )
    rows = "\n".join(
        f"| #{issue['number']} | {issue['title']} | `{kinds.get('#' + str(issue['number']))}` |"
        for issue in issues
    )
    (refusal,) = yield Turn(
        "The table should be where the team looks first.",
        [("save_draft", {"path": "/srv/wiki/triage.md", "text": rows})],
    )
    yield Turn(
        f"{refusal} A draft will do.",
        [("save_draft", {"path": "drafts/triage.md", "text": rows})],
    )
    yield Turn(
        f"## Triage\n\n| issue | title | label |\n| --- | --- | --- |\n{rows}\n\n"
        f"**Duplicates.** {closed}\n\n"
        "**Next.** Fix 212 first: it is the only one that can stop a program for ever. "
        "A connect timeout that is separate from the read timeout solves it and 219."
    )


def _reader(brief: Brief) -> Script:
    start, end = brief.task.index("["), brief.task.index("]")
    numbers = json.loads(brief.task[start : end + 1])
    issues = yield Turn(
        "They are independent, so I read them all at once.",
        [("read_issue", {"number": number}) for number in numbers],
    )
    lines = []
    for text in issues:
        issue = json.loads(text)
        lines.append(f"#{issue['number']} {_kind(issue)} because: {issue['title'].lower()}")
    yield Turn("\n".join(lines))


def _kind(issue: dict[str, str]) -> str:
    title = issue["title"].lower()
    if "typo" in title:
        return "documentation"
    if "add" in title.split():
        return "feature" if len(issue["body"]) > 60 else "needs-information"
    return "bug"


def _librarian(brief: Brief) -> Script:
    hits, _page = yield Turn(
        "Notes and documentation, side by side.",
        [
            ("search_notes", {"query": "hang timeout attempts", "limit": 20}),
            ("fetch_page", {"url": "https://docs.lantern.example/timeouts"}),
        ],
    )
    found = json.loads(hits)["result"]
    notes = yield Turn(
        "The page is not to be had. The notes are; I read the best ones.",
        [("read_note", {"note_id": hit["id"]}) for hit in found],
    )
    quoted = "\n\n".join(notes) or "Nothing is written down about this yet."
    yield Turn(quoted)
    # Only when the answer is sent back.
    yield Turn(f"{quoted}\n\nSources: {', '.join(hit['id'] for hit in found) or 'none'}.")
