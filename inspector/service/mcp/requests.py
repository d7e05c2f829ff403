"""`list_requests` and `get_request`: requests of agents to people. Both only read."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from inspector.service.analysis.json_text import indented
from inspector.service.analysis.sanitise import visible_line, visible_part
from inspector.service.mcp.answer import (
    MAX_CHARS,
    MAX_CURSOR_CHARS,
    ClosedModel,
    PartialAnswer,
    Recorded,
    missing,
    not_searched,
)
from inspector.service.mcp.source import Archive, path_id
from inspector.service.mcp.tool import ServedTool

_LINE_CHARS = 300
_NAME_CHARS = 120
_ID_CHARS = 2_000
_DEFAULT_CHARS = 12_000


class ListRequests(ClosedModel):
    """Arguments of `list_requests`."""

    status: Literal["pending", "answered", "expired", "withdrawn", "lost", "all"] = Field(
        "pending", description="Requests in this state only; pending: not answered yet."
    )
    session_id: str | None = Field(
        None, max_length=2_000, description="Requests of this session only."
    )
    limit: int = Field(12, ge=1, le=20, description="Requests per page.")
    cursor: str | None = Field(
        None, max_length=MAX_CURSOR_CHARS, description="`next` of the previous page."
    )


class RequestLine(ClosedModel):
    """A request, as lists show it."""

    request_id: str
    kind: str
    status: str
    session_id: str
    session_title: str
    tool_name: str | None
    prompt: str
    default: str = Field(description="Decision on timeout.")
    created_at: str
    expires_at: str | None


class Requests(PartialAnswer):
    """Requests, newest first."""

    requests: list[RequestLine]
    pending_count: int = Field(description="Pending requests of all sessions.")


class GetRequest(ClosedModel):
    """Arguments of `get_request`."""

    request_id: str = Field(min_length=1, max_length=_ID_CHARS, description="From list_requests.")
    offset: int = Field(0, ge=0, description="Characters to skip: `next` of the previous response.")
    max_chars: int = Field(
        _DEFAULT_CHARS, ge=500, le=MAX_CHARS - 4_000, description="Characters in one response."
    )


class RequestText(ClosedModel):
    """A request, and a part of its text."""

    request: RequestLine
    args_hash: str | None = Field(description="Required in an answer.")
    can_always: bool
    is_editable: bool = Field(description="An answer may edit the arguments.")
    text: str
    offset: int
    total_chars: int


async def list_requests(archive: Archive, arguments: ListRequests) -> Recorded[Requests]:
    """Return a page of requests."""
    session_id = None
    if arguments.session_id is not None:
        session_id = (await archive.session(arguments.session_id))["id"]
    status = None if arguments.status == "all" else arguments.status
    page = await archive.get(
        "/requests",
        status=status,
        session_id=session_id,
        limit=arguments.limit,
        cursor=arguments.cursor,
    )
    found = [_line(request) for request in page["requests"]]
    more = page["next_cursor"]
    return Recorded(
        ("\n".join(map(_text, found)) or "No pending requests.") + not_searched(page),
        Requests(requests=found, pending_count=page["pending_count"], not_searched=missing(page)),
        {"cursor": more} if more else {},
        "Next: get_request with a request_id." if found else "",
    )


async def get_request(archive: Archive, arguments: GetRequest) -> Recorded[RequestText]:
    """Return a page of a request's text."""
    request = await archive.request(arguments.request_id)
    whole = "\n".join(_chapters(request))
    text, reached = visible_part(whole, arguments.offset, arguments.max_chars)
    found = RequestText(
        request=_line(request),
        args_hash=request["args_hash"],
        can_always=request["can_always"],
        is_editable=request["args_json"] is not None,
        text=text,
        offset=arguments.offset,
        total_chars=len(whole),
    )
    return Recorded(
        f"{_text(found.request)}\nargs_hash: {found.args_hash}\n\n{text}",
        found,
        {"offset": reached} if reached < len(whole) else {},
    )


def request_address(request_id: object) -> str:
    """Return the path of a request."""
    return f"/requests/{path_id(request_id)}"


def _line(request: dict[str, Any]) -> RequestLine:
    return RequestLine(
        request_id=visible_line(request["id"], _ID_CHARS),
        kind=request["kind"],
        status=request["status"],
        session_id=visible_line(request["session_id"], _ID_CHARS),
        session_title=visible_line(request["session_title"], _NAME_CHARS),
        tool_name=visible_line(request["tool_name"], _NAME_CHARS) if request["tool_name"] else None,
        prompt=visible_line(request["prompt"], _LINE_CHARS),
        default=visible_line(request["default"], _NAME_CHARS),
        created_at=request["created_at"],
        expires_at=request["expires_at"],
    )


def _text(line: RequestLine) -> str:
    until = f"until {line.expires_at[:19]}Z, then {line.default}" if line.expires_at else ""
    facts = [line.status.upper(), line.kind, line.tool_name or "", until]
    head = " · ".join(filter(None, facts))
    where = f"in {line.session_title} [session_id: {line.session_id}]"
    return f"{head}  [request_id: {line.request_id}]\n  {line.prompt}  {where}"


def _chapters(request: dict[str, Any]) -> list[str]:
    chapters = [f"## prompt\n{request['prompt']}"]
    if request["options"]:
        chapters.append("## options\n" + "\n".join(request["options"]))
    if request["args_json"] is not None:
        chapters.append(f"## arguments\n{indented(request['args_json'])}")
    elif request["args_text"] is not None:
        chapters.append(f"## arguments (allow or deny only)\n{request['args_text']}")
    if request["form_json"]:
        chapters.append(f"## form of the answer (JSON Schema)\n{indented(request['form_json'])}")
    for one in request["transitions"]:
        reason = f": {one['reason']}" if one["reason"] else ""
        who = f"{one['actor']} ({one['origin']})"
        chapters.append(f"{one['at'][:19]}Z {one['status']} by {who}{reason}")
    if answer := request["answer"]:
        chapters.append(f"answer: {answer['decision']} by {answer['actor']} ({answer['origin']})")
    return chapters


LIST_REQUESTS = ServedTool(
    "list_requests",
    "List requests",
    "List requests of running agents to a person: approvals of tool calls, questions, "
    "breakpoints; newest first. Use it to find out why a session is waiting. `status: all` "
    "includes answered and expired ones.",
    ListRequests,
    Requests,
    list_requests,
)

GET_REQUEST = ServedTool(
    "get_request",
    "Read a request",
    "Read one complete request of an agent: the prompt, the arguments, the form of the answer, "
    "and the outcome. Large requests come in pages of characters.",
    GetRequest,
    RequestText,
    get_request,
)
