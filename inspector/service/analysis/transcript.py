"""The clipped content of spans, short enough to read many in sequence. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from inspector.service import wire
from inspector.service.analysis.new_messages import NewMessages, new_messages
from inspector.service.model.nesting import parse
from inspector.service.model.rows import Json, Moment, RequestRow, RequestStatus, SpanStatus
from inspector.service.wire.transcript import (
    AskedReading,
    Clip,
    DecisionReading,
    ErrorReading,
    McpReading,
    Piece,
    ProgressReading,
    Reading,
    Rewritten,
    Said,
    StateReading,
    ToolReading,
)

MAX_CHARS = 2_000
"""Limit in characters of one text."""
MAX_MESSAGES = 40
"""Limit of new messages of a call; more occur if the conversation's beginning is missing."""
MAX_PIECES = 60
MAX_MOMENTS = 40
"""Limit of the decisions of one span; the same for states and for questions."""
MAX_BLOB_CHARS = 200_000
"""Limit in base64 characters of one picture, and of all pictures of one span."""
_NAME_CHARS = 300
_CONTINUES = frozenset({"previous_response.id", "previous_response_id", "conversation", "thread"})
"""Parameters of a call that name a conversation that the provider has."""


def reading(
    key: tuple[str, str],
    view: wire.View,
    before: Sequence[wire.Message] | None = None,
    *,
    status: SpanStatus = SpanStatus.UNSET,
    is_new_run: bool = False,
    epoch_ns: int = 0,
    moments: Iterable[Moment] = (),
    requests: Iterable[RequestRow] = (),
) -> Reading:
    """Return the clipped content of a span.

    Args:
        key: (trace id, span id).
        view: The view of the span.
        before: Messages of the call before it in the same conversation; None: it is the first.
        status: Of the span.
        is_new_run: Whether that call was of another run of the agent.
        epoch_ns: The origin of offsets.
        moments: Span events and log records of the span, by time.
        requests: The requests of the span, oldest first.
    """
    llm = view.llm
    news = new_messages(
        view.messages,
        before,
        is_new_run=is_new_run,
        is_continued=llm is not None and not _CONTINUES.isdisjoint(llm.request_params),
    )
    events = list(moments)
    decided = [one for one in view.decisions if not _is_assent(one)]
    return Reading(
        trace_id=key[0],
        span_id=key[1],
        status=status,
        said=_messages(view.messages, news.new[-MAX_MESSAGES:]),
        repeated=news.repeated,
        left_out=max(0, len(news.new) - MAX_MESSAGES),
        rewritten=_rewritten(news),
        model=_name(llm.model_responded or llm.model_requested) if llm else None,
        finish_reasons=[reason[:_NAME_CHARS] for reason in llm.finish_reasons[:8]] if llm else [],
        first_chunk_ms=llm.time_to_first_chunk_ms if llm else None,
        tools_offered=len(llm.tools_offered) if llm else 0,
        tool=_tool(view.tool),
        mcp=_mcp(view.mcp),
        error=_error(view.error),
        decisions=[_decision(one, epoch_ns) for one in decided[-MAX_MOMENTS:]],
        assents=len(view.decisions) - len(decided),
        state=[_state(one, epoch_ns) for one in view.state[-MAX_MOMENTS:]],
        asked=_requests(list(requests), events, epoch_ns)[-MAX_MOMENTS:],
        progress=_progress(events, epoch_ns),
        so_far=llm.so_far if llm else None,
        truncated=view.truncated[:MAX_MOMENTS],
    )


def without_end(one: Reading) -> Reading:
    """Return the reading of a span without what came with its end."""
    parts: dict[str, object] = {
        "said": [message for message in one.said if message.origin != "output"],
        "so_far": None,
        "error": None,
        "finish_reasons": [],
        "first_chunk_ms": None,
        "tool": one.tool and one.tool.model_copy(update={"result": None, "is_error": False}),
        "mcp": one.mcp and one.mcp.model_copy(update={"response": None}),
    }
    return one.model_copy(update=parts)


def clip(text: str, *, is_json: bool = False, is_truncated: bool = False) -> Clip:
    """Return the beginning of a text, and its length."""
    return Clip(text=text[:MAX_CHARS], chars=len(text), is_json=is_json, is_truncated=is_truncated)


def _payload(payload: wire.Payload | None) -> Clip | None:
    if payload is None:
        return None
    return clip(payload.text, is_json=payload.is_json, is_truncated=payload.is_truncated)


def _name(text: str | None) -> str | None:
    return text[:_NAME_CHARS] if text else None


def _rewritten(news: NewMessages) -> Rewritten | None:
    return Rewritten(gone=news.gone, kept=news.retained) if news.gone else None


def _messages(messages: Sequence[wire.Message], places: Sequence[int]) -> list[Said]:
    room, blob_room = MAX_PIECES, MAX_BLOB_CHARS
    found = []
    for place in places:
        message = messages[place]
        pieces = []
        for number, part in enumerate(message.parts[:room]):
            piece = _piece(part, (place, number))
            if piece.data is not None:
                blob_room -= len(piece.data)
                if blob_room < 0:
                    piece.data = None
            pieces.append(piece)
        room -= len(pieces)
        found.append(
            Said(
                role=message.role[:_NAME_CHARS],
                origin=message.origin,
                name=_name(message.name),
                finish_reason=_name(message.finish_reason),
                pieces=pieces,
            )
        )
    return found


def _piece(part: wire.Part, at: tuple[int, int]) -> Piece:
    match part.type:
        case "text" | "reasoning":
            return Piece(type=part.type, at=at, clip=clip(part.text))
        case "tool_call":
            arguments = _payload(part.arguments)
            return Piece(type=part.type, at=at, clip=arguments, id=part.id, name=_name(part.name))
        case "tool_result":
            return Piece(type=part.type, at=at, clip=_payload(part.result), id=part.id)
        case "blob":
            return Piece(
                type=part.type,
                at=at,
                clip=None,
                modality=part.modality,
                mime_type=part.mime_type,
                data=part.data if len(part.data or "") <= MAX_BLOB_CHARS else None,
                size_bytes=_blob_bytes(part),
            )
        case "link":
            return Piece(
                type=part.type,
                at=at,
                clip=None,
                modality=part.modality,
                mime_type=part.mime_type,
                uri=part.uri[:MAX_CHARS],
            )
        case "other":
            return Piece(
                type=part.type, at=at, clip=_payload(part.value), name=_name(part.part_type)
            )


def _blob_bytes(part: wire.BlobPart) -> int | None:
    if part.size_bytes is not None or part.data is None:
        return part.size_bytes
    return len(part.data) * 3 // 4


def _tool(tool: wire.ToolView | None) -> ToolReading | None:
    if tool is None:
        return None
    return ToolReading(
        name=tool.name[:_NAME_CHARS],
        call_id=tool.call_id,
        arguments=_payload(tool.arguments),
        result=_payload(tool.result),
        is_error=tool.is_error,
    )


def _mcp(mcp: wire.McpView | None) -> McpReading | None:
    if mcp is None:
        return None
    return McpReading(
        method=mcp.method[:_NAME_CHARS],
        server=_name(mcp.server),
        resource_uri=_name(mcp.resource_uri),
        prompt_name=_name(mcp.prompt_name),
        request=_payload(mcp.request),
        response=_payload(mcp.response),
    )


def _error(error: wire.ErrorView | None) -> ErrorReading | None:
    if error is None:
        return None
    return ErrorReading(
        type=_name(error.type),
        code=_name(error.code),
        message=clip(error.message) if error.message else None,
    )


def _is_assent(one: wire.Decision) -> bool:
    return one.action == "continue" and not (one.reason or one.before or one.after)


def _decision(one: wire.Decision, epoch_ns: int) -> DecisionReading:
    return DecisionReading(
        offset_ns=_ns(one.time) - epoch_ns,
        hook=_name(one.hook),
        interceptor=_name(one.interceptor),
        action=one.action[:_NAME_CHARS],
        reason=one.reason[:MAX_CHARS] if one.reason else None,
        before=_payload(one.before),
        after=_payload(one.after),
    )


def _state(one: wire.StateChange, epoch_ns: int) -> StateReading:
    return StateReading(
        offset_ns=_ns(one.time) - epoch_ns,
        name=one.name[:_NAME_CHARS],
        description=one.description[:MAX_CHARS] if one.description else None,
        value=_payload(one.value),
        patch=_payload(one.patch),
    )


def _ns(rfc3339: str) -> int:
    """Return Unix ns of a time as `normalise.times` writes it: nine digits behind the point."""
    seconds, _, rest = rfc3339.partition(".")
    return int(datetime.fromisoformat(seconds + "+00:00").timestamp()) * 10**9 + int(
        rest.rstrip("Z").ljust(9, "0")[:9] or 0
    )


def _progress(events: Sequence[Moment], epoch_ns: int) -> ProgressReading | None:
    reported = [moment for moment in events if moment.name == "inspector.progress"]
    if not reported:
        return None
    attributes = reported[-1].attributes
    percent = attributes.get("inspector.progress.percent")
    return ProgressReading(
        offset_ns=reported[-1].time_ns - epoch_ns,
        percent=float(percent) if isinstance(percent, (int, float)) else None,
        message=_text(attributes, "inspector.progress.message"),
    )


def _requests(
    requests: Sequence[RequestRow], events: Sequence[Moment], epoch_ns: int
) -> list[AskedReading]:
    """Return the requests to people; without any, the pauses in the span's events."""
    # A request that is part of another one was never open by itself.
    opened = [row for row in requests if row.status is not RequestStatus.WITHDRAWN]
    if opened:
        answers = _answers(events)
        return [_request(row, epoch_ns, answers.get(row.id)) for row in opened]
    return _pauses(events, epoch_ns)


def _answers(events: Sequence[Moment]) -> dict[str | None, Clip]:
    """Return the answers to questions, by the id of the request."""
    return {
        _text(moment.attributes, "inspector.request.id"): answer
        for moment in events
        if moment.name == "inspector.request.closed"
        and (answer := _payload_of(moment.attributes)) is not None
    }


def _payload_of(attributes: Mapping[str, Json]) -> Clip | None:
    text = attributes.get("inspector.request.answer")
    if not isinstance(text, str):
        return None
    try:
        payload = parse(text).get("payload")
    except (ValueError, AttributeError):
        return None  # cut, or of another sender
    return None if payload is None else clip(json.dumps(payload, ensure_ascii=False), is_json=True)


def _request(row: RequestRow, epoch_ns: int, payload: Clip | None) -> AskedReading:
    answer = row.answer
    decided = answer or (row.transitions[-1] if row.transitions else None)
    return AskedReading(
        id=row.id,
        kind=row.kind,
        prompt=row.prompt[:MAX_CHARS] or None,
        offset_ns=row.created_ns - epoch_ns,
        waited_ns=None if row.closed_ns is None else max(0, row.closed_ns - row.created_ns),
        status=row.status.value,
        decision=answer.decision if answer else None,
        actor=decided.actor if decided else None,
        reason=_name(decided.reason) if decided else None,
        is_edited=answer.is_edited if answer else False,
        answer=payload,
    )


def _pauses(events: Sequence[Moment], epoch_ns: int) -> list[AskedReading]:
    """Return the requests in a span's own events, else the pauses."""
    found: list[AskedReading] = []
    open_: dict[tuple[str, str | None], AskedReading] = {}
    for moment in events:
        attributes = moment.attributes
        offset_ns = moment.time_ns - epoch_ns
        match moment.name:
            case "inspector.session.paused":
                key = ("pause", _text(attributes, "inspector.session.signal"))
                prompt = _text(attributes, "inspector.session.prompt")
                kind = "question"
            case "inspector.request.opened":
                key = ("request", _text(attributes, "inspector.request.id"))
                prompt = _text(attributes, "inspector.request.prompt")
                kind = _text(attributes, "inspector.request.kind") or "approval"
            case "inspector.session.resumed":
                ended = open_.pop(("pause", _text(attributes, "inspector.session.signal")), None)
                _close(ended, offset_ns, attributes, "inspector.session.payload", "reason")
                continue
            case "inspector.request.closed":
                ended = open_.pop(("request", _text(attributes, "inspector.request.id")), None)
                _close(ended, offset_ns, attributes, "inspector.request.decision", "request.reason")
                continue
            case _:
                continue
        request = AskedReading(
            id=key[1] if key[0] == "request" else None,
            kind=kind[:_NAME_CHARS],
            prompt=prompt,
            offset_ns=offset_ns,
            waited_ns=None,
            status="pending",
            decision=None,
            actor=None,
            reason=None,
            is_edited=False,
            answer=None,
        )
        open_[key] = request
        found.append(request)
    requests = [one for one in found if one.id is not None]
    return requests or found


def _close(
    request: AskedReading | None,
    offset_ns: int,
    attributes: Mapping[str, Json],
    decision: str,
    reason: str,
) -> None:
    if request is None:
        return
    request.waited_ns = max(0, offset_ns - request.offset_ns)
    request.status = _text(attributes, "inspector.request.status") or "answered"
    request.decision = _name(_text(attributes, decision))
    request.answer = _payload_of(attributes)
    request.reason = _name(_text(attributes, f"inspector.{reason}"))


def _text(attributes: Mapping[str, Json], key: str) -> str | None:
    value = attributes.get(key)
    return value[:MAX_CHARS] if isinstance(value, str) and value else None
