"""Read a span in any convention: pure functions, no I/O."""

from __future__ import annotations

from inspector.service.normalise.facts import encoded_span_facts, resource_facts, span_facts
from inspector.service.normalise.view import span_view

__all__ = ["encoded_span_facts", "resource_facts", "span_facts", "span_view"]
