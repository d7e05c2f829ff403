"""Adapter for LangChain and LangGraph: graphs and agents, chat models and tools.

What runs is wrapped where every agent of a process passes by, whoever made it: a graph's `stream`,
a model's, a tool's `run`. Call-backs (`register_configure_hook`) would tell too, and also each
node and chain; they cannot refuse a tool, and what runs inside would not be below what was told.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from inspector.agent_side.on_import import after_import
from inspector.integrations.langchain.watching import Watching
from inspector.integrations.patches import Patches
from instrument import Bus
from instrument import default as shared
from instrument.operations import current_call_id

_PARTS = (
    ("langgraph.pregel", "langgraph.graph", "graphs", "watch"),
    (
        "langchain_core.language_models.chat_models",
        "langchain_core.language_models",
        "models",
        "watch",
    ),
    ("langchain_core.tools.base", "langchain_core.tools", "tools", "watch"),
    ("langgraph.prebuilt.tool_node", "langgraph.prebuilt", "tools", "watch_nodes"),
)
"""Where things are that are watched, with what programs import them, and what watches them."""

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

    patches = Patches("langchain")
    undo.callback(patches.undo)
    watching = Watching(here, is_watched, patches)
    # Only what the program uses: none of these is imported for being watched.
    for module, used_with, part, function in _PARTS:
        undo.callback(after_import(module, partial(_watch, watching, part, function)))
        undo.callback(after_import(used_with, partial(_check, watching, module)))
    return undo.close


def _watch(watching: Watching, part: str, function: str) -> None:
    module = import_module(f"{__name__}.{part}")  # imports what it watches
    getattr(module, function)(watching)


def _check(watching: Watching, module: str) -> None:
    """Say it when what is watched is in another place in this version."""
    try:
        is_there = find_spec(module) is not None
    except (ImportError, ValueError):
        is_there = False
    if not is_there:
        watching.patches.lacks(module)
