"""Guidance on the bus: inject composed texts, and deny tool calls at the gate.

A moment such as `session:start` is a name of an event in the catalogue; an unknown moment is an
event of that name, for an emitter to `dispatch`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, get_args

from instrument.bus import Bus
from instrument.catalogue import CATALOGUE
from instrument.decision import Decision
from instrument.guidance.checks import choice
from instrument.guidance.composer import Composer
from instrument.guidance.definition import HookLifecycle, HookType
from instrument.guidance.loader import ContentLoader
from instrument.guidance.registry import HookRegistry
from instrument.guidance.session import SessionStateTracker
from instrument.guidance.transparency import Notify, notify_locally, report

Event: TypeAlias = Mapping[str, Any]
Situation: TypeAlias = Callable[[Event], Mapping[str, Any]]
"""A function from the kwargs of an event to keywords of `HookRegistry.query`."""


def attach(
    bus: Bus,
    registry: HookRegistry,
    loader: ContentLoader,
    composer: Composer,
    *,
    situation: Situation | None = None,
    moments: Iterable[str] | None = None,
    priority: int = 0,
) -> Callable[[], None]:
    """Inject the applicable guidance into the events of `bus`, as the assistant's.

    Guidance never breaks an agent: when it fails, the event continues without it. Each notice is
    reported once. A text is read on the emitting thread, when it is first needed.

    Args:
        bus: The bus of the events.
        registry: The registry of the hooks, also of those added later.
        loader: Loads their texts.
        composer: Composes the texts.
        situation: Returns `storage`, `features`, `config` and the like for an event; by default
            only its request and session are known, by `scope_of`.
        moments: Such as `action:start`; default: those of the hooks registered so far. Their
            emitters must use `operation`, `call` or `dispatch`.
        priority: Priority of the interceptors; lower runs earlier.

    Returns:
        A function that detaches, once.

    Raises:
        GuidanceValueError: A moment is not `type:lifecycle`.
    """
    if moments is None:
        moments = dict.fromkeys(f"{hook.type}:{hook.lifecycle}" for hook in registry.all())
    seen: set[str] = set()

    def notify_once(notice: str) -> None:
        if notice not in seen:
            seen.add(notice)
            composer.notify(notice)

    def guide(hook_type: str, lifecycle: str) -> Callable[..., Decision | None]:
        def inject(**event: Any) -> Decision | None:
            known = {**scope_of(event), **(situation(event) if situation else {})}
            hooks = registry.query(known, type=hook_type, lifecycle=lifecycle)
            composed = composer.compose(loader.load_all_sync(hooks), notify=notify_once)
            if not composed.content:
                return None
            return Decision.inject_context(
                composed.content,
                role=composed.role,
                reason=", ".join(hook.id for hook in composed.included_hooks),
            )

        return inject

    pairs = [_checked(moment) for moment in moments]
    offs = [
        bus.intercept(
            event_of(f"{hook_type}:{lifecycle}"),
            guide(hook_type, lifecycle),
            priority=priority,
            name=f"guidance {hook_type}:{lifecycle}",
            on_error="continue",
        )
        for hook_type, lifecycle in pairs
    ]
    return lambda: _call_all(offs)


def attach_gate(
    bus: Bus,
    tracker: SessionStateTracker,
    *,
    priority: int = 0,
    notify: Notify = notify_locally,
    asks: bool = False,
) -> Callable[[], None]:
    """Deny tool calls that `tracker` forbids, and record successful ones in it.

    A tracker with a `session_id` ignores events of other sessions, but not events without a
    session. When it fails, the call is denied.

    Args:
        bus: The bus of the tool calls.
        tracker: The state of the session.
        priority: Priority of the interceptor; lower runs earlier.
        notify: Called with the guidance after a call.
        asks: Whether to ask a person about a forbidden call, instead of denying it.

    Returns:
        A function that detaches, once.
    """

    def is_mine(scope: Mapping[str, str]) -> bool:
        mine, session_id = tracker.session_id, scope.get("session_id")
        return mine is None or session_id is None or session_id == mine

    def check(**event: Any) -> Decision | None:
        scope = scope_of(event)
        if not is_mine(scope):
            return None
        refusal = tracker.check_tool_allowed(event["tool_name"], scope.get("request_id"))
        if refusal is None:
            return None
        return Decision.ask_user(refusal) if asks else Decision.deny(refusal)

    def record(**event: Any) -> None:
        scope = scope_of(event)
        if is_mine(scope):
            request_id = scope.get("request_id")
            done = tracker.record_tool_call(event["tool_name"], event.get("args"), request_id)
            if done.guidance is not None:
                report(notify, done.guidance)

    offs = [
        bus.intercept(
            "before_tool_call", check, priority=priority, name="session gate", on_error="deny"
        ),
        bus.observe("after_tool_call", record),
    ]
    return lambda: _call_all(offs)


def event_of(moment: str) -> str:
    """Return the event of a `moment` of the guidance vocabulary."""
    return _EVENTS.get(moment, moment)


def scope_of(event: Event) -> dict[str, str]:
    """Return `request_id` and `session_id` of an event, from its kwargs or its `context`.

    The request is the MCP request if there is one, else the operation (`operation_id`, `call_id`).
    """
    sources = (event, event.get("context"))
    found = {
        "request_id": _first(sources, ("request_id", "operation_id", "call_id")),
        "session_id": _first(sources, ("session_id",)),
    }
    return {name: value for name, value in found.items() if value is not None}


_EVENTS = {
    moment: hook.name for hook in CATALOGUE.values() for moment in hook.aliases.get("guidance", ())
}


def _first(sources: Iterable[object], names: Iterable[str]) -> str | None:
    sources = tuple(sources)
    for name in names:
        for source in sources:
            value = _value(source, name)
            if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
                return str(value)
    return None


def _value(source: object, name: str) -> object:
    if isinstance(source, Mapping):
        return source.get(name)
    try:
        return getattr(source, name, None)
    except Exception:  # noqa: BLE001 - a context may refuse outside of a request
        return None


def _checked(moment: str) -> tuple[str, str]:
    hook_type, _, lifecycle = str(moment).partition(":")
    attempt = f"attach guidance to {moment!r}"
    choice(attempt, "type", hook_type, get_args(HookType))
    choice(attempt, "lifecycle", lifecycle, get_args(HookLifecycle))
    return hook_type, lifecycle


def _call_all(offs: Iterable[Callable[[], None]]) -> None:
    for off in offs:
        off()
