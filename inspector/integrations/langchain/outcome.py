"""The outcome of a graph run: of any of its stream modes, or of an interrupt or hand-off."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from inspector.integrations.langchain.messages import merged

INTERRUPT = "__interrupt__"


class StreamOutcome:
    """The outcome of a stream of pieces: the last state, else the last message."""

    def __init__(self, stream_mode: str | Sequence[str]) -> None:
        self._mode = stream_mode if isinstance(stream_mode, str) else None
        self._values: Any = None
        self._message: Any = None
        self._pieces: list[Any] = []
        self.interrupts: list[Any] = []

    def add(self, piece: Any) -> None:
        """Add a streamed piece, in any of the graph's stream formats."""
        with suppress(Exception):  # of an unknown shape: never into the program
            self._add(piece)

    def _add(self, piece: Any) -> None:
        mode, is_nested, data = _read(piece, self._mode)
        if is_nested:
            return
        if isinstance(data, Mapping) and (found := data.get(INTERRUPT)):
            known = {id(one) for one in self.interrupts}
            self.interrupts += [one for one in found if id(one) not in known]
        if mode == "values":
            self._values = data
        elif mode == "updates":
            self._add_update(data)
        elif mode == "messages" and isinstance(data, tuple):
            self._add_piece(data[0])

    def result(self) -> Any:
        """Return the final message where there are messages, else the final state."""
        if self._values is not None:
            message = _last_message(self._values)
            return self._values if message is None else message
        return merged(self._pieces) if self._message is None else self._message

    def _add_update(self, data: Any) -> None:
        for update in data.values() if isinstance(data, Mapping) else ():
            message = _last_message(update)
            if message is not None:
                self._message = message

    def _add_piece(self, piece: Any) -> None:
        if not hasattr(piece, "tool_call_chunks"):
            return
        if self._pieces and self._pieces[-1].id != piece.id:
            self._pieces.clear()
        self._pieces.append(piece)


def bubbles_up(error: BaseException) -> bool:
    """Return whether `error` is LangGraph's control flow and not a failure."""
    errors = sys.modules.get("langgraph.errors")
    return errors is not None and isinstance(error, errors.GraphBubbleUp)


def bubble_result(error: BaseException) -> dict[str, Any]:
    """Return the result to report for an operation that `error` ended."""
    value = error.args[0] if error.args else None
    if type(error).__name__ == "ParentCommand":
        return {"command": value}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return {"interrupted": [getattr(one, "value", one) for one in value]}
    return {"interrupted": [value]}


def _read(piece: Any, mode: str | None) -> tuple[str | None, bool, Any]:
    """Return the mode, whether a subgraph sent the piece, and its data."""
    if isinstance(piece, dict) and {"type", "ns", "data"} <= piece.keys():  # version="v2"
        return piece["type"], bool(piece["ns"]), piece["data"]
    if not isinstance(piece, tuple):
        return mode, False, piece
    namespace, rest = (piece[0], piece[1:]) if isinstance(piece[0], tuple) else ((), piece)
    if mode is None and len(rest) == 2 and isinstance(rest[0], str):
        mode, rest = rest[0], rest[1:]
    return mode, bool(namespace), rest[0] if len(rest) == 1 else rest


def _last_message(state: Any) -> Any:
    if not isinstance(state, Mapping):
        return None
    messages = state.get("messages")
    if isinstance(messages, Sequence) and not isinstance(messages, str):
        return messages[-1] if messages else None
    return messages
