"""Divide a request for receivers with a smaller size limit than ours."""

from __future__ import annotations

from typing import Any

from inspector.service.otlp.signals import OtlpSignal


def halve(signal: OtlpSignal, body: bytes) -> list[bytes]:
    """Return a request as two with half of the items each; one item cannot be divided."""
    request = signal.request.FromString(body)
    count = sum(len(getattr(scope, signal.items)) for _, scope in signal.walk(request))
    if count < 2:
        return [body]
    halves = [signal.request(), signal.request()]
    seen = 0
    for group, scope in signal.walk(request):
        items = getattr(scope, signal.items)
        middle = max(0, min(len(items), count // 2 - seen))
        seen += len(items)
        for half, part in zip(halves, (items[:middle], items[middle:]), strict=True):
            if part:
                _add_scope(signal, half, group, scope, part)
    return [half.SerializeToString() for half in halves]


def _add_scope(signal: OtlpSignal, target: Any, group: Any, scope: Any, items: Any) -> None:
    new_group = getattr(target, signal.groups).add(
        resource=group.resource, schema_url=group.schema_url
    )
    new_scope = getattr(new_group, signal.scopes).add(
        scope=scope.scope, schema_url=scope.schema_url
    )
    getattr(new_scope, signal.items).extend(items)
