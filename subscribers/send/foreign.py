"""The `capture` setting applied to spans of other instrumentations.

The bridge treats the content of its own spans when it sets them. Spans of others are treated here,
on the sender's thread, before anything leaves the process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, Status

from subscribers.bridge.spans import BRIDGE_SCOPE
from subscribers.content.redaction import Redactor
from subscribers.options import Capture
from subscribers.send.live_record import SPAN_NAME, LiveRecord

_CONTENT_KEY = re.compile(
    r"""
      gen_ai\..*messages | gen_ai\.system_instructions | gen_ai\.tool\.definitions
    | gen_ai\.tool\.call\.(?:arguments|result)          # not the id
    | gen_ai\.prompt(?!\.name$)(?:\..*)? | gen_ai\.completion(?:\..*)? | gen_ai\.event\.content
    | (?:input|output)\.value                           # OpenInference
    | llm\.(?:(?:in|out)put_messages|prompts?|completions?|prompt_template|tools)(?:\..*)?
    | message\.contents?(?:\..*)? | tool_call\.function\.arguments | tool\.parameters
    | embedding\.(?:text|vector|embeddings)(?:\..*)? | document\.(?:content|metadata)
    | (?:retrieval|reranker)\..*(?:documents|query)(?:\..*)?
    | ai\.(?:prompt|values?|embeddings?|result)(?:\..*)?           # Vercel AI SDK
    | ai\.response\.(?:text|object|toolCalls|reasoning|files)
    | ai\.toolCall\.(?:args|input|result|output)
    | traceloop\.entity\.(?:input|output)
    | mcp\..*_json | mcp\.(?:request\.arguments?|response\.value)(?:\..*)?
    | (?:pydantic_ai\.)?all_messages(?:_events)? | tool_arguments | tool_response | final_result
    | gcp\.vertex\.agent\.(?:llm_request|llm_response|tool_call_args|tool_response|data)
    """,
    re.VERBOSE,
)
_EVENT_BODY_KEYS = frozenset(
    {"arguments", "body", "content", "event_body", "message", "tool_calls"}
)
"""Content in the events that older GenAI conventions have (`gen_ai.user.message`, ...)."""


class ForeignContent:
    """Redacts the strings of foreign spans, and with `off` drops known content first.

    `full` leaves them as they are.
    """

    def __init__(self, capture: Capture, redactor: Redactor) -> None:
        self._capture = capture
        self._redactor = redactor

    def __call__(self, item: LiveRecord | ReadableSpan) -> LiveRecord | ReadableSpan:
        """Return `item` as it may be sent; itself if it is ours or needs no change."""
        span = item.span if isinstance(item, LiveRecord) else item
        if span is None or self._capture is Capture.FULL:
            return item
        scope = span.instrumentation_scope
        if scope is not None and scope.name == BRIDGE_SCOPE:
            return item
        if isinstance(item, LiveRecord):
            name = {SPAN_NAME: self._redactor.text(span.name)} if item.span is not None else {}
            return replace(item, attributes={**self._attributes(item.attributes), **name})
        return ChangedSpan(
            item,
            _name=self._redactor.text(item.name),
            _attributes=self._attributes(item.attributes),
            _events=[self._event(event) for event in item.events],
            _links=[self._link(link) for link in item.links],
            _status=self._status(item.status),
            _instrumentation_scope=self._scope(scope),
        )

    def _attributes(
        self, attributes: Mapping[str, Any] | None, *, is_message: bool = False
    ) -> dict[str, Any]:
        is_off = self._capture is Capture.OFF
        return {
            self._redactor.text(key): self._redactor.value(key, value)
            for key, value in (attributes or {}).items()
            if not (
                is_off and (_CONTENT_KEY.fullmatch(key) or (is_message and key in _EVENT_BODY_KEYS))
            )
        }

    def _event(self, event: Event) -> Event:
        is_message = event.name.startswith("gen_ai.")
        attributes = self._attributes(event.attributes, is_message=is_message)
        return Event(self._redactor.text(event.name), attributes, event.timestamp)

    def _link(self, link: Link) -> Link:
        return Link(link.context, self._attributes(link.attributes))

    def _scope(self, scope: InstrumentationScope | None) -> InstrumentationScope | None:
        if scope is None or not scope.attributes:
            return scope
        attributes = self._attributes(scope.attributes)
        return InstrumentationScope(scope.name, scope.version, scope.schema_url, attributes)

    def _status(self, status: Status) -> Status:
        if not status.description:
            return status
        return Status(status.status_code, self._redactor.text(status.description))


class ChangedSpan(ReadableSpan):
    """A copy of a span with other fields."""

    def __init__(self, span: ReadableSpan, **fields: Any) -> None:
        self.__dict__.update(span.__dict__)
        self.__dict__.update(fields)
