"""A log of the hooks that a bus emits, and a check that each operation ends once."""

from __future__ import annotations

from collections import Counter
from typing import Any

from instrument.catalogue import NOUNS


class HookLog:
    """An observer of every hook."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.texts: dict[str, str] = {}
        """The text of each streamed operation, as its chunks were reported."""

    def __call__(self, hook: str, /, **kwargs: Any) -> None:
        self.events.append((hook, kwargs))

    def add_text(self, call_id: str, text: str) -> None:
        """Add a chunk."""
        self.texts[call_id] = self.texts.get(call_id, "") + text

    @property
    def names(self) -> list[str]:
        """The names of the hooks in order, without those of the bus itself."""
        own = ("operation_opened", "operation_closed", "hook_decided")
        return [hook for hook, _ in self.events if hook not in own]

    @property
    def operations(self) -> list[str]:
        """The `names` of agents, LLM calls and tools."""
        return [name for name in self.names if name.endswith(("_call", "_llm_generate"))]

    def of(self, hook: str) -> list[dict[str, Any]]:
        """The kwargs of each emission of `hook`."""
        return [kwargs for name, kwargs in self.events if name == hook]

    def one(self, hook: str) -> dict[str, Any]:
        """The kwargs of the only emission of `hook`."""
        found = self.of(hook)
        assert len(found) == 1, f"{hook}: {len(found)} times, in {self.names}"
        return found[0]

    def parent_noun(self, kwargs: dict[str, Any]) -> str | None:
        """The noun of the operation that encloses the one of `kwargs`."""
        for opened in self.of("operation_opened"):
            if opened["call_id"] == kwargs["parent_call_id"]:
                return str(opened["noun"])
        return None

    def check_pairs(self) -> None:
        """Check that each operation opened, began, ended and closed once, and in a tree."""
        opened = {one["call_id"]: one for one in self.of("operation_opened")}
        closed = Counter(one["call_id"] for one in self.of("operation_closed"))
        assert len(opened) == len(self.of("operation_opened"))
        assert closed == Counter(opened.keys()), f"not closed once: {self.names}"
        for call_id, one in opened.items():
            assert one["parent_call_id"] is None or one["parent_call_id"] in opened
            noun = NOUNS[one["noun"]]
            began = [k for k in self.of(noun.before) if k.get("call_id") == call_id]
            ended = [
                k for h in (noun.after, noun.error) for k in self.of(h) if k["call_id"] == call_id
            ]
            assert (len(began), len(ended)) == (1, 1), f"{one['noun']}: {self.names}"
