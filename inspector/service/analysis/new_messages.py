"""New messages of an LLM call: its conversation without that of the call before. Pure.

Each call of a conversation sends all of it again. Messages are alike when their content is the same
in any form: an answer comes back without its reasoning, or with other ids.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from inspector.service.wire import Message, Part, Payload

_INSTRUCTING = ("system", "developer")


@dataclass(frozen=True, slots=True)
class NewMessages:
    """The new messages of a call, and changes to those before."""

    new: tuple[int, ...]
    """Indices into the call's messages: the ones sent for the first time, then its output."""
    repeated: int = 0
    retained: int = 0
    gone: int = 0
    """Messages that the call before was sent and this one was not, without instructions."""


def new_messages(
    messages: Sequence[Message],
    before: Sequence[Message] | None,
    *,
    is_new_run: bool = False,
    is_continued: bool = False,
) -> NewMessages:
    """Return the messages that `before`, the call before, does not have.

    Messages are matched in order. A new run of an agent has a new question, even with the same
    text; messages of the run before that it is not sent were not rewritten. Nor were those that the
    provider keeps: `is_continued`, or a result is sent without its call, which the answer before
    has.
    """
    sent = [place for place, one in enumerate(messages) if one.origin != "output"]
    sent_now = [messages[place] for place in sent]
    answer = [place for place, one in enumerate(messages) if one.origin == "output"]
    if not before:
        return NewMessages((*sent, *answer))
    known = sorted(before, key=lambda one: one.origin == "output")
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, message in enumerate(known):
        places[likeness(message)].append(place)
    new: list[int] = []
    matched: set[int] = set()
    reached = 0
    for place in sent:
        found = places.get(likeness(messages[place]), [])
        at = bisect_left(found, reached)
        if at == len(found):
            new.append(place)
        else:
            matched.add(found[at])
            reached = found[at] + 1
    # Instructions are the same in many conversations.
    sent_before = {
        place
        for place, one in enumerate(known)
        if one.origin != "output" and one.role not in _INSTRUCTING
    }
    keeps = is_continued or bool(
        (_ids(before, "tool_call") & _ids(sent_now, "tool_result")) - _ids(sent_now, "tool_call")
    )
    gone = 0 if keeps else len(sent_before - matched)
    if is_new_run and (gone or not new):
        question = max((p for p in sent if messages[p].role == "user"), default=len(messages))
        fresh = [place for place in sent if place >= question or place in new]
        return NewMessages((*fresh, *answer), repeated=len(sent) - len(fresh))
    return NewMessages(
        (*new, *answer),
        repeated=len(matched),
        retained=len(sent_before & matched),
        gone=gone,
    )


def likeness(message: Message) -> str:
    """Return a text that is equal for messages with the same content."""
    calls = [part for part in message.parts if part.type == "tool_call"]
    if calls and all(part.id for part in calls):
        return json.dumps([message.role, [part.id for part in calls]])
    return json.dumps([message.role, [_words(part) for part in message.parts if _counts(part)]])


def _ids(messages: Sequence[Message], kind: str) -> set[str]:
    return {
        part.id
        for one in messages
        for part in one.parts
        if part.type == kind and part.type in ("tool_call", "tool_result") and part.id
    }


def _counts(part: Part) -> bool:
    return part.type != "reasoning" and not (part.type == "text" and not part.text.strip())


def _words(part: Part) -> list[str | None]:
    match part.type:
        case "text" | "reasoning":
            return ["text", part.text.strip()]
        case "tool_call":
            return [part.type, part.name, _compact(part.arguments)]
        case "tool_result":
            return [part.type, part.id, _compact(part.result)]
        case "blob":
            return [part.type, part.mime_type, part.data]
        case "link":
            return [part.type, part.uri]
        case "other":
            return [part.type, _compact(part.value)]


def _compact(payload: Payload | None) -> str | None:
    if payload is None:
        return None
    return "".join(payload.text.split()) if payload.is_json else payload.text.strip()
