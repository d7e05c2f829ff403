"""Read a span in any convention: pure functions, no I/O."""

from __future__ import annotations

from inspector.service.normalise.facts import read_span
from inspector.service.normalise.view import answers_of, failure_of, span_view

__all__ = ["answers_of", "failure_of", "read_span", "span_view"]
