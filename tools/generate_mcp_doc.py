"""Generate the tools and the example of `docs/mcp-server.md`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from inspector.service.analysis.outline import lines_of
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.http.mcp import INSTALL, MAX_BODY_BYTES
from inspector.service.mcp.answer import MAX_CHARS
from inspector.service.mcp.outline import outline_texts
from inspector.service.mcp.server import READING
from inspector.service.mcp.steering import STEERING
from inspector.service.mcp.tool import ServedTool
from inspector.service.model.rows import SpanKind, SpanRow, SpanStatus
from tools.pages import filled, table


def outputs() -> dict[Path, str]:
    """Return the page."""
    parts = {
        "count": str(len(READING)),
        "install": f"`{INSTALL}`",
        "body": f"{MAX_BODY_BYTES:,}".replace(",", " "),
        "chars": f"{MAX_CHARS:,}".replace(",", " "),
        "tools": "\n\n".join(map(_tool, READING)),
        "steering": "\n\n".join(map(_tool, STEERING)),
        "example": f"```text\n{_example()}\n```",
    }
    return filled("mcp-server.md", parts)


def _tool(tool: ServedTool[Any, Any]) -> str:
    summary = tool.description.partition("\n")[0]  # the query language has a page of its own
    fields = tool.arguments.model_fields.items()
    arguments = table(
        "| argument | meaning | default |",
        (f"| `{name}` | {field.description or ''} | {_default(field)} |" for name, field in fields),
    )
    result = f"Answers, in `recorded`: {_names(tool.result)}."
    return f"### `{tool.name}`\n\n{summary}\n\n{arguments}\n\n{result}"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True, validated_data={})
    return "" if default in (None, "", []) else f"`{default}`"


def _names(model: type[BaseModel]) -> str:
    """Return the fields of a model; after one that holds others, theirs in parentheses."""
    names = []
    for name, field in model.model_fields.items():
        inner = [one for one in _types(field.annotation) if issubclass(one, BaseModel)]
        names.append(f"`{name}`" + (f" ({_names(inner[0])})" if inner else ""))
    return ", ".join(names)


def _types(annotation: Any) -> Iterator[type]:
    for one in get_args(annotation) or (annotation,):
        if isinstance(one, type) and not get_args(one):
            yield one


def _example() -> str:
    ms, llm, tool = 1_000_000, SpanKind.LLM, SpanKind.TOOL
    failed = SpanStatus.ERROR
    spans: list[tuple[SpanKind, str, int | None, dict[str, Any]]] = [
        (SpanKind.AGENT, "invoke_agent planner", None, {"duration_ns": 31_200 * ms}),
        (llm, "chat large", 1, {"duration_ns": 900 * ms, "input_tokens": 812, "output_tokens": 64}),
        (tool, "execute_tool fetch_page", 1, {"duration_ns": 1_200 * ms, "status": failed}),
        *[(tool, "execute_tool read_note", 1, {"duration_ns": 40 * ms}) for _ in range(9)],
        (tool, "execute_tool publish", 1, {"duration_ns": 21_000 * ms, "wait_ns": 20_900 * ms}),
    ]
    rows = []
    for number, (kind, name, parent, fields) in enumerate(spans, 1):
        defaults = {"status": SpanStatus.OK, "session_id": "", "trace_id": "", "offset_ns": number}
        span_id, parent_id = f"{number * 0x9E3779B1:08x}00000000"[-16:], None
        if parent:
            parent_id = f"{parent * 0x9E3779B1:08x}00000000"[-16:]
        rows.append(
            SpanRow(
                span_id=span_id,
                parent_span_id=parent_id,
                kind=kind,
                name=name,
                **{**defaults, **fields},
            )
        )
    tree = SpanTree.of(rows)
    lines = lines_of(tree, None, every=False)
    return "\n".join(outline_texts(tree, lines, {2: "504: the origin did not answer in 1.2 s"}))
