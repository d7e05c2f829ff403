"""The coordinator on which modules of hooks are mounted."""

from __future__ import annotations

import logging
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

from instrument.approvals import ApprovalAnswer
from instrument.asking import NO_PROVIDER, Subject, ask_person
from instrument.bus import Bus
from instrument.control.registry import HookRegistry
from instrument.control.result import HookResult, question_of

_logger = logging.getLogger("mcp.instrument")


class ModuleCoordinator:
    """The coordinator of a plan's modules: registry, contributions, capabilities.

    Args:
        bus: The bus of their handlers; default: the shared one.
        session_id: Id of the modules' session.
        parent_id: Id of the session that started it, if one did.
        config: Configuration of the session.
    """

    def __init__(
        self,
        bus: Bus | None = None,
        *,
        session_id: str | None = None,
        parent_id: str | None = None,
        config: dict[str, Any] | None = None,
    ) -> None:
        self.hooks = HookRegistry(bus)
        self.session_id = session_id
        self.parent_id = parent_id
        self.config = {} if config is None else config
        self._mounted: dict[str, dict[str, Any]] = {}
        self._capabilities: dict[str, Any] = {}
        self._contributors: dict[str, dict[str, Callable[[], Any]]] = {}
        self._cleanups: list[Callable[[], Any]] = []

    def get(self, mount_point: str, name: str | None = None) -> Any:
        """Return the object mounted at `mount_point` under `name`, or None.

        Without a name it is the object mounted without one, else a dict of all by name.
        `hooks` is the registry.
        """
        if mount_point == "hooks":
            return self.hooks
        there = self._mounted.get(mount_point, {})
        if name is not None or "" in there:
            return there.get(name or "")
        return dict(there) or None

    async def mount(self, mount_point: str, module: Any, name: str | None = None) -> None:
        """Make `module`, such as a provider in `providers`, available through `get`."""
        self._mounted.setdefault(mount_point, {})[name or ""] = module

    async def unmount(self, mount_point: str, name: str | None = None) -> None:
        """Undo `mount`; do nothing if nothing is mounted."""
        self._mounted.get(mount_point, {}).pop(name or "", None)

    def register_capability(self, name: str, value: Any) -> None:
        """Offer `value`, usually a function, to other modules by `name`; None withdraws it."""
        self._capabilities[name] = value

    def get_capability(self, name: str) -> Any:
        """Return the capability registered as `name`, or None."""
        return self._capabilities.get(name)

    def register_contributor(self, channel: str, name: str, callback: Callable[[], Any]) -> None:
        """Register `callback` as a contributor to `channel`.

        Args:
            channel: Such as `observability.events`: the events that a module emits.
            name: Name of the contributor; it replaces one of the same name.
            callback: Sync or async; returns the contribution, or None.

        Raises:
            TypeError: `callback` cannot be called.
        """
        if not callable(callback):
            raise TypeError(f"Cannot let {name} contribute to {channel}: it is not callable.")
        self._contributors.setdefault(channel, {})[name] = callback

    async def collect_contributions(self, channel: str) -> list[Any]:
        """Return the contributions to `channel`, in order of registration.

        Failing contributors are logged and omitted.
        """
        collected: list[Any] = []
        for name, callback in list(self._contributors.get(channel, {}).items()):
            try:
                contribution = await _result(callback())
            except Exception:
                _logger.warning("Contributor %s to %s failed", name, channel, exc_info=True)
                continue
            if contribution is not None:
                collected.append(contribution)
        return collected

    def register_cleanup(self, cleanup: Callable[[], Any]) -> None:
        """Register a function, sync or async, for `cleanup()`.

        Raises:
            TypeError: It is not callable.
        """
        if not callable(cleanup):
            raise TypeError(f"Cannot clean up with {cleanup!r}: it is not callable.")
        self._cleanups.append(cleanup)

    async def cleanup(self) -> None:
        """Call each registered cleanup function once, last first; failures are logged."""
        while self._cleanups:
            await cleaned_up(self._cleanups.pop())

    async def process_hook_result(
        self, result: HookResult, event: str, hook_name: str = "hook"
    ) -> HookResult:
        """If `result` is `ask_user`, ask a person; return any other result unchanged.

        Only allow, allow once and allow always grant. After a timeout the question's default
        counts; without a provider, and after a failure, it is denied.
        """
        if result.action != "ask_user":
            return result
        subject = Subject(event, hook_name, result.data or {})
        bus = self.hooks.bus
        answer = await ask_person(bus, bus._waiting, question_of(result), subject)
        if answer.is_granted:
            data = {**(result.data or {}), **answer.changes}
            if (objection := answer.objection_to(data)) is not None:
                return HookResult("deny", reason=objection)
            return HookResult("continue", data=data, reason=answer.reason)
        return HookResult("deny", reason=_reason(answer))


async def cleaned_up(cleanup: Callable[[], Any]) -> None:
    """Call a cleanup function and await its result; a failure is logged."""
    try:
        await _result(cleanup())
    except Exception:
        _logger.warning("A module failed to clean up", exc_info=True)


def _reason(answer: ApprovalAnswer) -> str:
    if answer.reason == NO_PROVIDER:
        return "No approval system available"
    return answer.reason or f"User denied: {answer.decision}"


async def _result(returned: Any) -> Any:
    return await returned if isawaitable(returned) else returned
