"""Research: gather from notes in parallel, cancel slow work, ask a critic to object."""

from __future__ import annotations

import json
import random

from inspector.demo.house_rules import WORKSPACE
from inspector.demo.model import Brief, Script, Turn
from inspector.demo.story import Role, Story

_QUESTIONS = (
    ("Should Lantern retry by default?", "retry attempts jitter"),
    ("How do we stop a retry storm?", "retry budget storm upstream"),
    ("Are hedged requests worth their cost?", "hedged second attempt p99"),
)


def research_story(rng: random.Random) -> Story:
    """Return the story of one question."""
    question, query = rng.choice(_QUESTIONS)
    return Story(
        name="research",
        title=question,
        prompt_name="research",
        prompt_arguments={"question": question},
        resource_uris=("workshop://style-guide",),
        time_limits_s={"survey_notes": 6.0},
        planner=Role(
            name="research lead",
            description="Answers questions with evidence.",
            instruction=(
                "You answer from evidence. Have the researcher gather it, then have the critic "
                "attack the draft, and only then answer. Publish the answer with publish_notes."
            ),
            script=lambda brief: _lead(brief, question, query),
            tools=frozenset({"publish_notes", "save_draft"}),
            intelligence_priority=1.0,
        ),
        helpers=(
            Role(
                name="researcher",
                description="Gathers evidence.",
                instruction="You gather evidence. Quote numbers with their source id.",
                script=lambda brief: _researcher(brief, query),
                tools=frozenset({"search_notes", "read_note", "survey_notes"}),
            ),
            Role(
                name="critic",
                description="Looks for what is wrong.",
                instruction="You attack drafts. Name the weakest claim and how to test it.",
                script=_critic,
                tools=frozenset({"read_note", "fetch_page", "git_log"}),
                cites_sources=True,
                intelligence_priority=0.7,
            ),
        ),
    )


def _lead(brief: Brief, question: str, query: str) -> Script:
    (evidence,) = yield Turn(
        "Evidence first.", [("ask_researcher", {"task": f"Gather evidence on: {query}."})]
    )
    (objection,) = yield Turn(
        "Before I answer, somebody should try to break it.",
        [("ask_critic", {"task": f"Attack this evidence for the question {question}\n{evidence}"})],
    )
    answer = (
        f"# {question}\n\n**Yes, within limits.** The evidence:\n\n{evidence}\n\n"
        f"## The strongest objection\n\n{objection}\n\n"
        "## What I would do\n\n"
        "1. Turn it on for idempotent requests only.\n"
        "2. Give it a budget of 10 % of recent requests, so that it cannot make an outage worse.\n"
        "3. Measure p99 and the extra load for two weeks, and keep the switch.\n\n"
        "```python\nclient = lantern.Client(retry=lantern.Retry(attempts=3, budget=0.1))\n```"
    )
    outcome, _saved = yield Turn(
        "The objection changes the recommendation, not the direction. I put it on record.",
        [
            ("publish_notes", {"version": "research", "notes": answer}),
            ("save_draft", {"path": f"{WORKSPACE}/answers/retries.md", "text": answer}),
        ],
    )
    yield Turn(f"{answer}\n\n---\n\n{outcome}")


def _researcher(brief: Brief, query: str) -> Script:
    words = query.split()
    searches = [("search_notes", {"query": word, "limit": 10}) for word in (query, *words[:2])]
    *hits, survey = yield Turn(
        "Three searches at once, and a close reading of everything, if it ends in time.",
        [*searches, ("survey_notes", {"question": query})],
    )
    note_ids = list(dict.fromkeys(hit["id"] for text in hits for hit in json.loads(text)["result"]))
    notes = yield Turn(
        f"{survey} The searches agree on {len(note_ids)} notes.",
        [("read_note", {"note_id": note_id}) for note_id in note_ids[:4]],
    )
    lines = [
        f"* {note.splitlines()[-1]} (`{note_id}`)"
        for note_id, note in zip(note_ids, notes, strict=False)
    ]
    yield Turn("\n".join(lines))


def _critic(brief: Brief) -> Script:
    calls: list[tuple[str, dict[str, object]]] = [("read_note", {"note_id": "breaker-9"})]
    if "git_log" in brief.tools:
        calls.append(("git_log", {"repo_path": ".", "max_count": 2}))
    missing, *_ = yield Turn("I check the counter-evidence that I remember.", calls)
    (note,) = yield Turn(
        f"I remembered the wrong number: {missing} One more try.",
        [("read_note", {"note_id": "breaker-1"})],
    )
    objection = (
        "The weakest claim is that every failure is short. "
        f"{note.splitlines()[-1]} To test it: slow one upstream down to 2 s without failing it, "
        "and compare the added load with and without a budget."
    )
    yield Turn(objection)
    # Only when the answer is sent back.
    yield Turn(f"{objection}\n\nSources: the note `breaker-1`.")
