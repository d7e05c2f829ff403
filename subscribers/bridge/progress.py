"""Rate limit of progress reports: two per second and 64 per operation.

The first and the final report (100 %) always pass; the last pending one is reported when its
operation ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

MIN_INTERVAL_NS = 500_000_000
MAX_REPORTS = 64
MAX_OPERATIONS = 1_024


@dataclass(slots=True)
class _Operation:
    last_ns: int
    count: int = 1
    pending: tuple[int, dict[str, Any]] | None = None


class ProgressLimiter:
    """Decides which reports pass, for a limited number of the newest spans and operations."""

    def __init__(self) -> None:
        self.spans: dict[int, dict[Any, _Operation]] = {}
        """Operations with a report, by the id of their span."""

    def admit(
        self,
        span: int,
        operation_id: Any,
        time_ns: int,
        attributes: dict[str, Any],
        *,
        is_final: bool,
    ) -> bool:
        """Return whether to send a report now; otherwise it waits for `release`.

        Args:
            span: Id of its span; 0: none.
            operation_id: The reporting operation; a span may have several.
            time_ns: Time of the report.
            attributes: Content of the report.
            is_final: Whether 100 % is reached.
        """
        operations = self.spans.get(span)
        if operations is None:
            operations = _bounded(self.spans, span, {})
        operation = operations.get(operation_id)
        if operation is None:
            _bounded(operations, operation_id, _Operation(time_ns))
            return True
        is_early = time_ns - operation.last_ns < MIN_INTERVAL_NS
        if not is_final and (is_early or operation.count >= MAX_REPORTS):
            operation.pending = (time_ns, attributes)
            return False
        operation.last_ns, operation.pending = time_ns, None
        operation.count += 1
        return True

    def release(self, span: int) -> list[tuple[int, dict[str, Any]]]:
        """Remove a span that ends; return its pending reports with their times."""
        operations = self.spans.pop(span, None)
        if operations is None:
            return []
        return [operation.pending for operation in operations.values() if operation.pending]


_K = TypeVar("_K")
_V = TypeVar("_V")


def _bounded(table: dict[_K, _V], key: _K, value: _V) -> _V:
    """Add `value`, and remove the oldest when there are too many."""
    if len(table) >= MAX_OPERATIONS:
        table.pop(next(iter(table)), None)
    table[key] = value
    return value
