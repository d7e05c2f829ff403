"""`compare_sessions`: the differences between two runs."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from inspector.errors import RefusedError
from inspector.service.analysis.formatting import duration, money, plural, tokens
from inspector.service.analysis.sanitise import visible_line
from inspector.service.mcp.answer import MAX_CHARS, ClosedModel, Recorded, within
from inspector.service.mcp.finding import SessionLine, session_line, session_text
from inspector.service.mcp.source import Archive
from inspector.service.mcp.tool import ServedTool

_DIFFERENCES_A_PAGE = 25
_NAME_CHARS = 60
_PATH_NAMES = 4
_ANSWER_CHARS = 250
_TEXT_CHARS = MAX_CHARS - 4_000


class CompareSessions(ClosedModel):
    """Arguments of `compare_sessions`."""

    left: str = Field(min_length=1, max_length=2_000, description="session_id of the baseline.")
    right: str = Field(min_length=1, max_length=2_000, description="session_id to compare.")
    more: list[Annotated[str, Field(min_length=1, max_length=2_000)]] = Field(
        default_factory=list,
        max_length=18,
        description="More session_ids: `steps` then compares each run with `left`, step by step.",
    )
    offset: int = Field(0, ge=0, le=400_000, description="`next` of the previous response.")


class DifferenceLine(ClosedModel):
    """A difference: a span that changed, or that only one session has."""

    changes: list[str] = Field(description="The most significant first.")
    path: str
    left_span_id: str | None = Field(description="Null: added.")
    right_span_id: str | None = Field(description="Null: removed.")
    figures: str
    left_answer: str | None
    right_answer: str | None


class RunLine(ClosedModel):
    """A step in one run."""

    span_id: str
    status: str
    duration_ns: int | None
    own_ns: int | None = Field(description="Self time: without waits and descendants.")
    changes: list[str] = Field(description="Compared with `left`.")


class StepLine(ClosedModel):
    """A step of several runs."""

    depth: int
    name: str
    differs: bool
    is_first_difference: bool
    runs: list[RunLine | None] = Field(
        description="left, right, more; null: the run does not have the step."
    )


class ComparisonData(ClosedModel):
    """Result of `compare_sessions`: the differences of two sessions, or the steps of more."""

    left: SessionLine
    right: SessionLine
    counts: dict[str, int] = Field(description="Number of occurrences of each change.")
    same_count: int
    difference_count: int
    diverged: DifferenceLine | None = Field(description="The first significant one in time.")
    differences: list[DifferenceLine]
    more: list[SessionLine]
    steps: list[StepLine] = Field(description="Steps that differ, and their ancestors.")


async def compare_sessions(
    archive: Archive, arguments: CompareSessions
) -> Recorded[ComparisonData]:
    """Return a page of differences, or of the steps of more than two runs."""
    left, right = await archive.session(arguments.left), await archive.session(arguments.right)
    if left["id"] == right["id"]:
        raise RefusedError("Both ids are the same session. Use another id from find_sessions.")
    if arguments.more:
        more = [await archive.session(one) for one in arguments.more]
        return await _compared_runs(archive, [left, right, *more], arguments.offset)
    found = await archive.get(
        "/compare",
        left=left["id"],
        right=right["id"],
        offset=arguments.offset,
        limit=_DIFFERENCES_A_PAGE,
    )
    diverged = difference_line(found["diverged"]) if found["diverged"] else None
    data = ComparisonData(
        left=session_line(left),
        right=session_line(right),
        counts=found["counts"],
        same_count=found["same_count"],
        difference_count=found["difference_count"],
        diverged=diverged,
        differences=within([difference_line(one) for one in found["differences"]], _TEXT_CHARS),
        more=[],
        steps=[],
    )
    hint = "Next: get_span with the session_id and span_id of either side."
    hint += _not_compared(found)
    reached = arguments.offset + len(data.differences)
    return Recorded(
        _text(data),
        data,
        {"offset": reached} if reached < data.difference_count else {},
        hint,
    )


async def _compared_runs(
    archive: Archive, sessions: list[dict[str, Any]], start: int
) -> Recorded[ComparisonData]:
    """Return a page of the steps in which runs differ from the first."""
    ids = [one["id"] for one in sessions]
    found = await archive.get("/compare/runs", session=ids, row=start, limit=_DIFFERENCES_A_PAGE)
    left, right, *more = (session_line(one) for one in found["sessions"])
    lines = [_step_line(step, found["first_difference"]) for step in found["steps"]]
    shown = within(lines, _TEXT_CHARS)
    cut = found["steps"][len(shown) :]
    next_row = cut[0]["row"] if cut else found["next_row"]
    data = ComparisonData(
        left=left,
        right=right,
        counts={},
        same_count=found["row_count"] - found["differing_count"],
        difference_count=found["differing_count"],
        diverged=None,
        differences=[],
        more=more,
        steps=shown,
    )
    return Recorded(
        _runs_text(data),
        data,
        {} if next_row is None else {"offset": next_row},
        "Next: compare_sessions of two of them." + _not_compared(found),
    )


def _not_compared(found: dict[str, Any]) -> str:
    left_out = found["not_compared"]
    if not left_out:
        return ""
    return f" The content of {plural(left_out, 'span')} was not compared: it is too large."


def _step_line(step: dict[str, Any], first: int | None) -> StepLine:
    return StepLine(
        depth=step["depth"],
        name=visible_line(step["name"], _NAME_CHARS),
        differs=step["differs"],
        is_first_difference=step["row"] == first,
        runs=[
            None
            if cell is None
            else RunLine(
                span_id=cell["span_id"],
                status=cell["status"],
                duration_ns=cell["duration_ns"],
                own_ns=cell["own_ns"],
                changes=cell["changes"],
            )
            for cell in step["cells"]
        ],
    )


def _runs_text(data: ComparisonData) -> str:
    parts = [
        f"RUN {number}  {session_text(session)}"
        for number, session in enumerate([data.left, data.right, *data.more], 1)
    ]
    parts.append(f"\n{data.difference_count} steps differ; {data.same_count} the same")
    for step in data.steps:
        mark = "  FIRST DIFFERENCE" if step.is_first_difference else ""
        parts.append(f"{'  ' * step.depth}{step.name}{mark}")
        if step.differs:
            parts += (
                f"{'  ' * step.depth}  {number}: {_run_text(run)}"
                for number, run in enumerate(step.runs, 1)
            )
    return "\n".join(parts)


def _run_text(run: RunLine | None) -> str:
    if run is None:
        return "lacks it"
    own = f" (self {duration(run.own_ns)})" if run.own_ns != run.duration_ns else ""
    changes = ", ".join(run.changes).replace("_", " ").upper()
    return f"{duration(run.duration_ns)}{own}  {changes}  [{run.span_id}]"


def difference_line(difference: dict[str, Any]) -> DifferenceLine:
    """Return a difference with its texts shortened."""
    left, right = difference["left"], difference["right"]
    names = [visible_line(name, _NAME_CHARS) for name in difference["path"][-_PATH_NAMES:]]
    answers = [difference["left_answer"], difference["right_answer"]]
    shown = [None if text is None else visible_line(text, _ANSWER_CHARS) for text in answers]
    return DifferenceLine(
        changes=difference["changes"],
        path=" > ".join(names),
        left_span_id=left["span_id"] if left else None,
        right_span_id=right["span_id"] if right else None,
        figures=_figures(difference),
        left_answer=shown[0],
        right_answer=shown[1],
    )


def _figures(difference: dict[str, Any]) -> str:
    left, right = difference["left"], difference["right"]
    if not (left and right):
        below = difference["span_count"] - 1
        row = left or right
        return ", ".join(
            filter(None, [duration(row["duration_ns"]), below and f"{plural(below, 'span')} below"])
        )
    own = [duration(difference["left_own_ns"]), duration(difference["right_own_ns"])]
    prices = [money(side["cost_usd"]) if side["cost_usd"] else "" for side in (left, right)]
    counts = [tokens(side["input_tokens"], side["output_tokens"]) for side in (left, right)]
    models = [side["model"] or "" for side in (left, right)]
    pairs = (own, counts, prices, [visible_line(model, _NAME_CHARS) for model in models])
    return ", ".join(
        f"{before or '?'} ⇒ {after or '?'}" for before, after in pairs if before != after
    )


def _text(data: ComparisonData) -> str:
    counts = ", ".join(
        f"{number} {change.replace('_', ' ')}" for change, number in data.counts.items()
    )
    parts = [
        f"LEFT   {session_text(data.left)}",
        f"RIGHT  {session_text(data.right)}",
        f"\n{plural(data.difference_count, 'difference')} ({counts or 'none'}); "
        f"{plural(data.same_count, 'span')} the same",
    ]
    if data.diverged:
        parts.append(f"\nFirst difference: {_line_text(data.diverged)}")
    parts += (f"\n{_line_text(line)}" for line in data.differences)
    return "\n".join(parts)


def _line_text(line: DifferenceLine) -> str:
    ids = [f"left {line.left_span_id}" if line.left_span_id else ""]
    ids.append(f"right {line.right_span_id}" if line.right_span_id else "")
    head = f"{', '.join(line.changes).replace('_', ' ').upper()}  {line.path}"
    lines = [f"{head}  {line.figures}  [{' '.join(filter(None, ids))}]"]
    if line.left_answer is not None:
        lines += [f"  left output: {line.left_answer}", f"  right output: {line.right_answer}"]
    return "\n".join(lines)


COMPARE = ServedTool(
    "compare_sessions",
    "Compare sessions",
    "Compare two runs of the same task: the first difference, then what failed or recovered, was "
    "added or removed, got a different input or output, became slower or more expensive. "
    "Use it to see the effect of a changed prompt, model or code. Compare runs of the same task: "
    "sessions of different tasks differ everywhere. Up to 20 runs (`more`) are compared step by "
    "step with the first.",
    CompareSessions,
    ComparisonData,
    compare_sessions,
)
