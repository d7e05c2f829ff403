"""Mounting of a plan's modules, which are found by entry point and never downloaded."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from inspect import isawaitable
from typing import Any

from instrument.control.coordinator import ModuleCoordinator, cleaned_up
from instrument.delivery import run_later

GROUP = "amplifier.modules"
"""Group of the entry points of hook modules."""

_logger = logging.getLogger("mcp.instrument")


class MountError(RuntimeError):
    """A module cannot be mounted; no module of its plan stays mounted."""


async def mount_plan(
    coordinator: ModuleCoordinator, plan: Mapping[str, Any] | Sequence[Any]
) -> Callable[[], None]:
    """Mount every module of the `hooks` of `plan`, in order.

    Each entry has `module`, the name of an installed entry point of the group
    `amplifier.modules`, and may have `config`, passed to its `mount(coordinator, config)`. A
    `source` is never fetched: modules must be installed. When all are mounted, each
    `on_session_ready(coordinator)` is called.

    Returns:
        A function that cleans up all modules, last first.

    Raises:
        MountError: The plan is invalid, or a module is not installed or fails to mount.
    """
    cleanups: list[Callable[[], Any]] = []

    def clean_up() -> None:
        while cleanups:
            _clean_up(cleanups.pop())

    try:
        mounted: list[EntryPoint] = []
        for entry in _entries(plan):
            found, cleanup = await _mount(coordinator, entry)
            mounted.append(found)
            if cleanup is not None:
                cleanups.append(cleanup)
        for found in mounted:
            await _call_ready(coordinator, found)
    except BaseException:
        clean_up()
        raise
    return clean_up


def _entries(plan: Mapping[str, Any] | Sequence[Any]) -> Sequence[Any]:
    entries: object = plan.get("hooks", ()) if isinstance(plan, Mapping) else plan
    if not isinstance(entries, Sequence) or isinstance(entries, str | bytes):
        raise MountError(
            "Cannot mount the plan: `hooks` must be a list of entries with `module`, not "
            f"{type(entries).__name__}."
        )
    return entries


async def _mount(
    coordinator: ModuleCoordinator, entry: Any
) -> tuple[EntryPoint, Callable[[], Any] | None]:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("module"), str):
        raise MountError(
            f"Cannot mount {entry!r}: an entry must be a mapping with the name of a `module`."
        )
    name, config = entry["module"], entry.get("config")
    if config is not None and not isinstance(config, Mapping):
        raise MountError(f"Cannot mount {name}: its `config` must be a mapping.")
    found = _find(name, entry.get("source"))
    try:
        mount = found.load()
        cleanup = mount(coordinator, {} if config is None else dict(config))
        if isawaitable(cleanup):
            cleanup = await cleanup
    except Exception as error:
        raise MountError(f"Cannot mount {name} ({found.value}): {error}") from error
    _logger.debug("Mounted %s", name)
    if cleanup is None or callable(cleanup):
        return found, cleanup
    _logger.warning(
        "mount() of %s returned %s. It must return a clean-up function, or None.",
        name,
        type(cleanup).__name__,
    )
    return found, None


async def _call_ready(coordinator: ModuleCoordinator, found: EntryPoint) -> None:
    """Call a module's `on_session_ready`, when the contributions of all others are there."""
    is_ready = getattr(importlib.import_module(found.module), "on_session_ready", None)
    if is_ready is None:
        return
    try:
        returned = is_ready(coordinator)
        if isawaitable(returned):
            await returned
    except Exception:
        _logger.warning("on_session_ready of %s failed", found.name, exc_info=True)


def _find(name: str, source: object) -> EntryPoint:
    found = next(iter(entry_points(group=GROUP, name=name)), None)
    if found is not None:
        if source is not None:
            _logger.info("Ignoring the source of %s; using the installed module.", name)
        return found
    hint = "Install its package"
    if source is not None:
        hint = f"Sources are never downloaded: install {source} yourself"
    raise MountError(
        f"Cannot mount {name}: no installed package has an entry point of that name in the group "
        f"{GROUP}. {hint}."
    )


def _clean_up(cleanup: Callable[[], Any]) -> None:
    try:
        returned = cleanup()
    except Exception:
        _logger.warning("A module failed to clean up", exc_info=True)
        return
    if isawaitable(returned):
        run_later(cleaned_up(lambda: returned))
