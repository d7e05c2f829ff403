"""LangChain and LangGraph: graphs and agents, chat models and tools.

What runs is wrapped where every agent of a process passes by, whoever made it: a graph's `stream`,
a model's, a tool's `run`. Call-backs (`register_configure_hook`) would tell too, and also each
node and chain; they cannot refuse a tool, and what runs inside would not be below what was told.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from inspector.integrations.on_import import after_import
from inspector.integrations.patches import Patches
from instrument import Bus
from instrument import default as shared
from instrument.operations import current_call_id

_attached: set[int] = set()
"""Buses on which everything is told: twice would show everything twice."""


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every graph, chat model and tool of this process, also later ones.

    Args:
        *targets: Compiled graphs (also those of `create_agent` and `create_react_agent`), chat
            models, tools. Of a graph what it calls is watched too.
        bus: Where it is told.

    Returns:
        What detaches: everything is as it was. Idempotent.
    """
    here = bus or shared.bus
    undo = ExitStack()
    if not targets:
        if id(here) in _attached:
            return lambda: None
        _attached.add(id(here))
        undo.callback(_attached.discard, id(here))

    def is_watched(candidate: Any) -> bool:
        if not here._hooks:
            return False
        if not targets or any(candidate is target for target in targets):
            return True
        return current_call_id(here) is not None

    patches = Patches(here, is_watched)
    undo.callback(patches.undo)
    # Only what the program uses: none of these is imported for being watched.
    for module, watch in (
        ("langgraph.pregel.main", _watch_graphs),
        ("langchain_core.language_models.chat_models", _watch_models),
        ("langchain_core.tools.base", _watch_tools),
        ("langgraph.prebuilt.tool_node", _watch_tool_nodes),
    ):
        undo.callback(after_import(module, lambda watch=watch: watch(patches)))  # type: ignore[misc]  # the default binds
    return undo.close


def _watch_graphs(patches: Patches) -> None:
    from inspector.integrations.langchain.graphs import watch  # noqa: PLC0415 - imports it

    watch(patches)


def _watch_models(patches: Patches) -> None:
    from inspector.integrations.langchain.models import watch  # noqa: PLC0415 - imports it

    watch(patches)


def _watch_tools(patches: Patches) -> None:
    from inspector.integrations.langchain.tools import watch  # noqa: PLC0415 - imports it

    watch(patches)


def _watch_tool_nodes(patches: Patches) -> None:
    from inspector.integrations.langchain.tools import watch_nodes  # noqa: PLC0415 - imports it

    watch_nodes(patches)
