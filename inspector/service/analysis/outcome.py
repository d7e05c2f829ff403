"""What came of a session, on one line: what failed first, or what a model answered last. Pure.

Causes are alike when they differ in ids, numbers, times and paths alone: those become placeholders
(`pattern_of`), and a hash of the rest is the key of the group.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from inspector.service import wire
from inspector.service.analysis.causes import error_line
from inspector.service.analysis.sanitise import visible_line
from inspector.service.model.records import MAX_INT, SpanRecord
from inspector.service.normalise.plain import plain_line
from inspector.service.normalise.view import Failure

MAX_CHARS = 200
"""Limit of a line, in characters."""
_LABEL_CHARS = 60
_READ_CHARS = 600
"""Limit of an error's text: what is made of it is cut once more."""
_PATTERN_CHARS = 120
"""Limit of the part of a pattern that makes its key: longer texts are cut at different places."""
_KEY_BYTES = 6
_VARYING = re.compile(
    r"""
    (?P<url>\bhttps?://[^\s'"<>)\]}]+)
    | (?P<mail>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})
    | (?P<ip>(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])
        |(?<![\w:.])(?=[0-9a-fA-F:]{0,40}::|(?:[0-9a-fA-F]{1,4}:){4})
            (?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?![\w:]))
    | (?P<time>\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)
    | (?P<path>(?<![\w/\\])(?:[A-Za-z]:|~|\.{1,2})?(?:[/\\][\w.@%+~-]+){2,}[/\\]?
        |(?<![\w./\\-])[\w.-]+(?:/[\w.-]+)*/[\w.-]+\.\w+)
    | (?P<id>\b0x[0-9a-fA-F]+\b
        |\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b
        |\b(?=[0-9a-fA-F]*\d)(?=\d*[a-fA-F])[0-9a-fA-F]{7,}\b
        |\b(?=[A-Za-z_-]{0,64}\d)[\w-]{16,}\b)
    | (?P<n>(?<![\w.])\d[\d,_]*(?:\.\d+)*
        (?:\s?(?:ns|µs|us|ms|s|min|m|h|[kKMG]i?B|B|%)(?!\w))?(?![\w]))
    """,
    re.VERBOSE,
)
_HTTP_ERROR = re.compile("[45][0-9]{2}")
"""The status of a response: a number that says what went wrong."""


def by_cause(failed: Sequence[SpanRecord]) -> list[SpanRecord]:
    """Return the failures in the order in which they are read until one says why.

    Those with a failed child come last: they follow from it. Before others comes one from which a
    root failed, then the first to end.
    """
    by_id = {(span.trace_id, span.span_id): span for span in failed}
    above = {(span.trace_id, span.parent_span_id) for span in failed}
    return sorted(
        failed,
        key=lambda span: (
            (span.trace_id, span.span_id) in above,
            not _reached_root(span, by_id),
            span.end_ns or MAX_INT,
            span.span_id,
        ),
    )


def _reached_root(span: SpanRecord, failed: Mapping[tuple[str, str], SpanRecord]) -> bool:
    for _ in range(len(failed)):  # parents may go in circles
        above = failed.get((span.trace_id, span.parent_span_id or ""))
        if above is None:
            break
        span = above
    return span.is_root


def cause_line(span: SpanRecord, reason: str) -> str:
    """Return what failed, and why."""
    label = visible_line(span.subject or span.name, _LABEL_CHARS).replace(": ", ":")
    return f"{label}: {reason}"


def failure_line(why: Failure, status_message: str) -> str:
    """Return why a span failed, on one line."""
    error, result = why
    detail = {
        "view": {
            "error": error and {**error.model_dump(), "message": _line(error.message)},
            "tool": result and {"result": {"text": _line(result.text)}},
        },
        "status_message": _line(status_message),
    }
    return error_line(detail, _READ_CHARS)


def _line(text: str | None) -> str:
    return " ".join((text or "")[: 2 * _READ_CHARS].split())


def pattern_of(line: str) -> str:
    """Return a line of `cause_line` with placeholders for what varies among causes that are alike.

    The name of what failed stays, and so does the status of an HTTP response.
    """
    label, colon, text = line.partition(": ")
    return f"{label}{colon}{_VARYING.sub(_placeholder, text)}"


def _placeholder(found: re.Match[str]) -> str:
    is_status = found.lastgroup == "n" and _HTTP_ERROR.fullmatch(found[0])
    return found[0] if is_status else f"<{found.lastgroup}>"


def cause_key(line: str) -> str:
    """Return the key of the causes that are like a line of `cause_line`."""
    pattern = pattern_of(line)[:_PATTERN_CHARS].casefold()
    return blake2b(pattern.encode(errors="replace"), digest_size=_KEY_BYTES).hexdigest()


def answer_line(messages: Sequence[wire.Message]) -> str | None:
    """Return the text of the last message that a model answered with; None without one."""
    for message in reversed(messages):
        if message.origin == "output":
            parts = (part.text for part in message.parts if part.type == "text")
            texts = (plain_line(text, 2 * _READ_CHARS) for text in parts)
            if line := " ".join(filter(None, texts)):
                return visible_line(line, MAX_CHARS)
    return None
