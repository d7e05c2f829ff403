"""The inspector as an OTLP/HTTP target of the official exporters.

The exporters have retries, error logs and the user's `OTEL_EXPORTER_OTLP_*` settings, which are
meant for another backend. Their HTTP session here replaces all three: one try, no logs, and exactly
our headers.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import requests
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry._logs import LogRecord
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from requests.structures import CaseInsensitiveDict

from subscribers.send.delivery import Answer, SendResult
from subscribers.send.foreign import ChangedSpan
from subscribers.send.live_record import LiveRecord
from subscribers.send.process import ProcessIdentity

_logger = logging.getLogger("inspector")

LIVE_SCOPE = InstrumentationScope("inspector.live")
TIMEOUT_S = 10.0

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_ALLOWED_HEADERS = frozenset({"content-type", "content-encoding", "user-agent"})
_SUCCESS = (SpanExportResult.SUCCESS, LogRecordExportResult.SUCCESS)
_ACCEPTED_STATUSES = range(200, 300)
_AWAY_STATUSES = frozenset({429, 500, 502, 503, 504})
_NO_SUCH_SIGNAL = frozenset({404, 405, 501})
_ADVICE = {
    401: "check INSPECTOR_TOKEN",
    403: "check INSPECTOR_TOKEN",
    421: "it is a reader, set INSPECTOR_URL to the service that this agent belongs to",
}
_EXPORTER_LOGGERS = (
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.exporter.otlp.proto.http._log_exporter",
    "opentelemetry.exporter.otlp.proto.common._internal",
    "urllib3.connectionpool",
)


class OtlpTarget:
    """A sender to `URL/v1/traces` and `URL/v1/logs`; it remembers that logs are unwanted."""

    def __init__(self, url: str, token: str | None, identity: ProcessIdentity) -> None:
        """Make a target.

        Args:
            url: Base address of the service, without a trailing slash.
            token: For `Authorization: Bearer`; None if none is needed.
            identity: Adds this process to resources that name none.
        """
        parts = urlsplit(url)
        self.name = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        """URL for display, without credentials."""
        self._url = url
        self._token = token
        self._identity = identity
        self._takes_logs = True
        self._is_refusal_logged = False
        self.reset()

    def reset(self) -> None:
        """Open new connections with the next request."""
        self._session = _Session(self._token, is_direct=urlsplit(self._url).hostname in _LOOPBACK)
        self._logs: OTLPLogExporter | None = None
        self._spans: OTLPSpanExporter | None = None
        self._thread: int | None = None

    def send_logs(self, records: Sequence[LiveRecord]) -> Answer:
        """Send live records, unless the target has refused logs."""
        if not self._takes_logs:
            return Answer(SendResult.ACCEPTED)
        self._prepare()
        if self._logs is None:
            self._logs = OTLPLogExporter(
                endpoint=f"{self._url}/v1/logs",
                session=self._session,
                timeout=TIMEOUT_S,
                compression=Compression.NoCompression,
            )
        batch = [self._log(record) for record in records]
        is_accepted = _export(self._logs, batch)
        if not is_accepted and self._session.status in _NO_SUCH_SIGNAL:
            self._session.status = None
            self._takes_logs = False
            _logger.info("%s does not accept OTLP logs; none are sent.", self.name)
            return Answer(SendResult.ACCEPTED)
        return self._answer(is_accepted)

    def send_spans(self, spans: Sequence[ReadableSpan]) -> Answer:
        """Send ended spans."""
        self._prepare()
        if self._spans is None:
            self._spans = OTLPSpanExporter(
                endpoint=f"{self._url}/v1/traces",
                session=self._session,
                timeout=TIMEOUT_S,
                compression=Compression.NoCompression,
            )
        batch = [with_resource(span, self._identity.complete(span.resource)) for span in spans]
        return self._answer(_export(self._spans, batch))

    def _prepare(self) -> None:
        """Suppress spans of our requests and logs of the exporters, once per thread."""
        if self._thread == threading.get_ident():
            return
        self._thread = threading.get_ident()
        context = otel_context.get_current()
        for name in ("_SUPPRESS_INSTRUMENTATION_KEY", "_SUPPRESS_HTTP_INSTRUMENTATION_KEY"):
            if (key := getattr(otel_context, name, None)) is not None:
                context = otel_context.set_value(key, True, context)
        otel_context.attach(context)
        _silence(self._thread)

    def _answer(self, is_accepted: bool) -> Answer:
        status, self._session.status = self._session.status, None
        if is_accepted:
            return Answer(SendResult.ACCEPTED)
        if status is None:
            is_unreachable, self._session.is_unreachable = self._session.is_unreachable, False
            # Neither a response nor a failed request: the exporter could not encode the batch.
            return Answer(SendResult.AWAY if is_unreachable else SendResult.UNENCODABLE)
        if status in _AWAY_STATUSES:
            return Answer(SendResult.AWAY, self._session.retry_after_s)
        if status == 413:
            return Answer(SendResult.TOO_LARGE)
        self._log_refusal(status)
        return Answer(SendResult.REFUSED)

    def _log_refusal(self, status: int) -> None:
        if self._is_refusal_logged:
            return
        self._is_refusal_logged = True
        advice = _ADVICE.get(status, "check that it is an Inspector service")
        _logger.warning("%s rejects telemetry with HTTP %d: %s.", self.name, status, advice)

    def _log(self, record: LiveRecord) -> ReadableLogRecord:
        context = Context()
        if record.span_context is not None:
            span = trace.NonRecordingSpan(record.span_context)
            context = trace.set_span_in_context(span, context)
        log = LogRecord(
            timestamp=record.time_ns,
            observed_timestamp=record.time_ns,
            context=context,
            attributes=record.all_attributes(),
            event_name=record.name,
        )
        resource = self._identity.complete(record.resource)
        return ReadableLogRecord(log, resource, LIVE_SCOPE)


def with_resource(span: ReadableSpan, resource: Resource) -> ReadableSpan:
    """Return `span` under `resource`."""
    return span if resource is span.resource else ChangedSpan(span, _resource=resource)


def _export(exporter: OTLPSpanExporter | OTLPLogExporter, batch: Sequence[Any]) -> bool:
    try:
        return exporter.export(batch) in _SUCCESS
    except Exception:  # noqa: BLE001 - cannot be encoded; exporters before 1.45 raise
        return False


class _Session(requests.Session):
    """An HTTP session with one try per export and our headers only.

    How an exporter takes an exception differs from version to version, a client error is final in
    all: it is given one for whatever failed, and what happened is kept here.
    """

    def __init__(self, token: str | None, *, is_direct: bool) -> None:
        super().__init__()
        self.trust_env = not is_direct  # no proxy, no .netrc between us and this machine
        self._authorization = f"Bearer {token}" if token else None
        self.status: int | None = None
        self.retry_after_s: float | None = None
        self.is_unreachable = False

    def request(  # type: ignore[override] # passed on as they come
        self, method: str, url: str | bytes, **kwargs: Any
    ) -> requests.Response:
        """Send, and answer with a client error if that fails."""
        # The exporter adds OTEL_EXPORTER_OTLP_HEADERS, another backend's keys: here, or there.
        kwargs["headers"] = _only_allowed(kwargs.get("headers") or {})
        self.headers = CaseInsensitiveDict(_only_allowed(self.headers))
        kwargs["auth"] = self._authorize
        kwargs["allow_redirects"] = False
        try:
            response = super().request(method, url, **kwargs)
        except requests.RequestException:
            self.is_unreachable = True
            return _failed()
        self.status = response.status_code
        self.retry_after_s = _seconds(response.headers.get("Retry-After"))
        return response if response.status_code in _ACCEPTED_STATUSES else _failed()

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._authorization is not None:
            request.headers["Authorization"] = self._authorization
        return request


def _only_allowed(headers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in headers.items() if name.lower() in _ALLOWED_HEADERS}


def _failed() -> requests.Response:
    response = requests.Response()
    response.status_code = 400
    return response


def _seconds(text: str | None) -> float | None:
    try:
        return max(float(text), 0.0) if text else None
    except ValueError:
        return None


class _NotFrom(logging.Filter):
    """Drops what one thread logs."""

    def __init__(self, thread: int) -> None:
        super().__init__()
        self.thread = thread

    def filter(self, record: logging.LogRecord) -> bool:
        return record.thread != self.thread


def _silence(thread: int) -> None:
    for name in _EXPORTER_LOGGERS:
        logger = logging.getLogger(name)
        for old in [f for f in logger.filters if isinstance(f, _NotFrom) and f.thread == thread]:
            logger.removeFilter(old)
        logger.addFilter(_NotFrom(thread))
