"""Adapter for LangChain and LangGraph: graphs and agents, chat models and tools.

Methods that every agent of a process calls are wrapped: `stream` of graphs and models, `run` of
tools. Callbacks (`register_configure_hook`) would report too, and each node and chain as well; they
cannot refuse a tool, and nested operations would not be below them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from inspector.agent_side.on_import import after_import
from inspector.integrations.langchain.shared import Attachment
from inspector.integrations.patches import Patches
from instrument import Bus, default
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
"""Watched module, the one that programs import it from, our module and its wrapping function."""


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every graph, chat model and tool of this process, also later ones.

    Args:
        *targets: Compiled graphs (also those of `create_agent` and `create_react_agent`), chat
            models, tools. The calls of a graph are watched with it.
        bus: Default: the bus that everybody shares.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    here, patches = bus or default.bus, Patches("langchain")
    if not targets and not patches.claim(here):
        return lambda: None

    def is_watched(candidate: Any) -> bool:
        if not here._hooks:
            return False
        if not targets or any(candidate is target for target in targets):
            return True
        return current_call_id(here) is not None

    attachment = Attachment(here, is_watched, patches)
    # Nothing is imported for this: only modules that the program uses are watched.
    for module, used_with, part, function in _PARTS:
        patches.callback(after_import(module, partial(_watch, attachment, part, function)))
        patches.callback(after_import(used_with, partial(patches.expect, module)))
    return patches.undo


def _watch(attachment: Attachment, part: str, function: str) -> None:
    module = import_module(f"{__name__}.{part}")  # imports the watched module
    getattr(module, function)(attachment)
