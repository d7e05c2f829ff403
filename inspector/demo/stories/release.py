"""Release notes: list the changes, run the checks, write the notes, ask to publish them."""

from __future__ import annotations

import json
import random
from typing import Any

from inspector.demo.model import Brief, Script, Turn
from inspector.demo.story import Role, Story

_HEADINGS = {
    "breaking": "Breaking",
    "feature": "New",
    "performance": "Faster",
    "fix": "Fixed",
}


def release_story(rng: random.Random) -> Story:
    """Return the story of one release."""
    version = f"1.{rng.randint(5, 9)}.{rng.randint(0, 3)}"
    audience = rng.choice(["users of the library", "operators", "package maintainers"])
    return Story(
        name="release_notes",
        title=f"Release notes for Lantern {version}",
        prompt_name="release_notes",
        prompt_arguments={"version": version, "audience": audience},
        resource_uris=("workshop://style-guide",),
        planner=Role(
            name="planner",
            description="Plans a release and writes its notes.",
            instruction=(
                "You prepare releases. Ask the historian what changed and the tester whether it "
                "works, both at once. Then write the notes by the style guide and have them "
                "published with publish_notes, and then the tag pushed with push_tag. Never "
                "publish what the tester could not prove without saying so."
            ),
            script=lambda brief: _planner(brief, version),
            tools=frozenset({"publish_notes", "push_tag", "save_draft"}),
            cites_sources=True,
            intelligence_priority=0.9,
        ),
        helpers=(
            Role(
                name="historian",
                description="Knows what changed and why.",
                instruction=(
                    "You read version history. Answer with a list of changes, each with its kind."
                ),
                script=_historian,
                tools=frozenset({"changes_since", "git_log", "git_status", "git_show"}),
            ),
            Role(
                name="tester",
                description="Runs the checks and says what they prove.",
                instruction="You run checks. Report failures with the name of the step.",
                script=_tester,
                tools=frozenset({"run_checks", "fetch_page", "search_notes", "read_note"}),
                intelligence_priority=0.2,
            ),
        ),
    )


def _planner(brief: Brief, version: str) -> Script:
    changes, checks = yield Turn(
        "I need two things before I can write: the list of changes, and proof that they work. "
        "Neither depends on the other, so I ask for both at once.",
        [
            ("ask_historian", {"task": f"List what changed on the way to Lantern {version}."}),
            ("ask_tester", {"task": "Run the unit and the slow checks and report failures."}),
        ],
    )
    notes = _notes(version, changes, checks)
    (refusal,) = yield Turn(
        f"I have both. Here is the draft:\n\n{notes}\n\nThe website is where people look for it.",
        [("save_draft", {"path": "../website/releases.md", "text": notes})],
    )
    _saved, outcome = yield Turn(
        f"{refusal} It goes to the drafts, then, and a person has to agree.",
        [
            ("save_draft", {"path": f"drafts/{version}.md", "text": notes}),
            ("publish_notes", {"version": version, "notes": notes}),
        ],
    )
    if outcome.startswith("Published"):
        (pushed,) = yield Turn(
            f"{outcome} What is left is the tag.",
            [("push_tag", {"tag": f"v{version}", "remote": "origin"})],
        )
        outcome = f"{outcome} {pushed}"
    yield Turn(f"{outcome}\n\n{notes}")
    # Only when the answer is sent back.
    yield Turn(
        f"{outcome}\n\n{notes}\n\n---\n\nSources:\n\n"
        f"1. The historian's list, taken from the merged changes.\n2. The tester's report: {checks}"
    )


def _historian(brief: Brief) -> Script:
    calls: list[tuple[str, dict[str, Any]]] = [("changes_since", {"version": "1.4.0"})]
    if "git_log" in brief.tools:
        calls.append(("git_log", {"repo_path": ".", "max_count": 5}))
        calls.append(("git_status", {"repo_path": "."}))
    results = yield Turn("Merged changes first, then the repository itself.", calls)
    changes = json.loads(results[0])["result"]
    subjects = [
        line.removeprefix("Message: ")
        for line in "\n".join(results[1:]).splitlines()
        if line.startswith("Message: ")
    ]
    lines = [f"- {change['kind']}: {change['title']} — {change['detail']}" for change in changes]
    if subjects:
        lines.append(f"\nLast commits in the repository at hand: {'; '.join(subjects)}.")
    yield Turn("\n".join(lines))


def _tester(brief: Brief) -> Script:
    unit, slow, _page = yield Turn(
        "Both suites can run side by side. Meanwhile I read what the guide promises.",
        [
            ("run_checks", {"suite": "unit"}),
            ("run_checks", {"suite": "slow"}),
            ("fetch_page", {"url": "https://docs.lantern.example/streaming"}),
        ],
    )
    failed = json.loads(unit)["failed"] + json.loads(slow)["failed"]
    (hits,) = yield Turn(
        "The page cannot be read, so I look for the promise in the notes instead.",
        [("search_notes", {"query": "memory streaming body", "limit": 50})],
    )
    passed = json.loads(unit)["passed"] + json.loads(slow)["passed"]
    found = len(json.loads(hits)["result"])
    report = f"{passed} steps pass"
    report += f"; failing: {', '.join(failed)}." if failed else "."
    yield Turn(f"{report} The guide's page was unreachable; {found} related notes were found.")


def _notes(version: str, changes: str, checks: str) -> str:
    by_kind: dict[str, list[str]] = {}
    for line in changes.splitlines():
        kind, separator, text = line.removeprefix("- ").partition(": ")
        if separator and kind in _HEADINGS:
            title, _, detail = text.partition(" — ")
            by_kind.setdefault(kind, []).append(f"* **{title}.** {detail}")
    sections = [
        f"### {heading}\n\n" + "\n".join(by_kind[kind])
        for kind, heading in _HEADINGS.items()
        if kind in by_kind
    ]
    known = f"\n\n> Known at release: {checks.split(';')[-1].split('.')[0].strip()}."
    example = (
        "\n\n```python\nimport lantern\n\n"
        'answer = lantern.get("https://example.org", timeout=None)  # no limit, by choice\n```'
    )
    return f"## Lantern {version}\n\n" + "\n\n".join(sections) + example + known
