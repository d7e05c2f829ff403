"""What a module of hooks is mounted on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from instrument.approvals import ApprovalAnswer
from instrument.asking import NO_PROVIDER, Subject, ask_person
from instrument.bus import Bus
from instrument.control.registry import HookRegistry
from instrument.control.result import HookResult, question_of
from instrument.waiting import AsyncWaiting


class ModuleCoordinator:
    """The registry that modules register with, and what they contribute.

    Args:
        bus: Where their handlers decide; default: the one that everybody shares.
    """

    def __init__(self, bus: Bus | None = None) -> None:
        self.hooks = HookRegistry(bus)
        self._contributors: dict[str, dict[str, Callable[[], Any]]] = {}

    def register_contributor(self, channel: str, name: str, callback: Callable[[], Any]) -> None:
        """Let `callback` add to what is collected on `channel` (001-06).

        Args:
            channel: Such as `observability.events`: the events that a module emits.
            name: Of the contributor; a second one of that name replaces the first.
            callback: Returns a list, one item, or None.

        Raises:
            TypeError: `callback` cannot be called.
        """
        if not callable(callback):
            raise TypeError(f"Cannot let {name} contribute to {channel}: it is not callable.")
        self._contributors.setdefault(channel, {})[name] = callback

    def collect_contributions(self, channel: str) -> list[Any]:
        """Return what all contributors of `channel` give, in order of registration."""
        collected: list[Any] = []
        for callback in self._contributors.get(channel, {}).values():
            given = callback()
            if isinstance(given, list | tuple | set):
                collected.extend(given)
            elif given is not None:
                collected.append(given)
        return collected

    async def process_hook_result(
        self, result: HookResult, event: str, hook_name: str = "hook"
    ) -> HookResult:
        """Ask a person what `result` wants to have asked; return anything else as it is.

        Only allow, allow once and allow always grant. No answer in time is the question's
        default; nobody to ask, and every failure, is a deny (001-U12).
        """
        if result.action != "ask_user":
            return result
        subject = Subject(event, hook_name, result.data or {})
        bus = self.hooks.bus
        answer = await ask_person(bus, AsyncWaiting(bus), question_of(result), subject)
        if answer.is_granted:
            data = {**(result.data or {}), **answer.changes}
            return HookResult("continue", data=data, reason=answer.reason)
        return HookResult("deny", reason=_reason(answer))


def _reason(answer: ApprovalAnswer) -> str:
    if answer.reason == NO_PROVIDER:
        return "No approval system available"
    return answer.reason or f"User denied: {answer.decision}"
