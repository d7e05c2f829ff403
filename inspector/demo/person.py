"""The person of the demo: reads the form of an elicitation, thinks, answers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.types import ElicitResult

from inspector.demo.pace import Pace


@dataclass(slots=True)
class ScriptedPerson:
    """Agrees four times in five, after a few seconds."""

    rng: random.Random
    pace: Pace

    async def answer(self, schema: Mapping[str, Any]) -> ElicitResult:
        """Fill in the form described by a JSON Schema of primitive properties."""
        await self.pace.wait(self.rng.uniform(3.5, 6.0))
        if self.rng.random() < 0.2:
            return ElicitResult(action="decline")
        properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
        content = {name: self._fill(field) for name, field in properties.items()}
        return ElicitResult(action="accept", content=content)

    def _fill(self, field: Mapping[str, Any]) -> str | int | float | bool | list[str] | None:
        if "default" in field:
            default: str | int | float | bool = field["default"]
            return default
        if field.get("enum"):
            choice: str = self.rng.choice(field["enum"])
            return choice
        match field.get("type"):
            case "boolean":
                return True
            case "integer" | "number":
                minimum: int | float = field.get("minimum", 1)
                return minimum
            case _:
                return "Fine by me."
