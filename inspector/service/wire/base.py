"""The base class of all wire shapes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class Wire(BaseModel):
    """Base of all responses: without additional fields, so that the contract is complete."""

    # Built by the first request that needs it: all of them together are a sixteenth of the start.
    model_config = ConfigDict(extra="forbid", defer_build=True)


class ListPosition(Wire):
    """Where a row is in a list."""

    value: int | float | str = Field(
        description="What the list is sorted by: Unix ns, a number or a title."
    )
    cursor: str = Field(description="Continues after the row.")


class Body(Wire):
    """Base of all request bodies: a value of the wrong type is rejected, not converted."""

    # Built at once: FastAPI hides the warnings of building a body only where it declares one.
    model_config = ConfigDict(strict=True, allow_inf_nan=False, defer_build=False)


def _integer(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


QUALIFIED = "qualified"
QualifiedId = Annotated[str, QUALIFIED]
"""An id before which a reader puts the name of its writer."""

Integer = Annotated[int, BeforeValidator(_integer)]
"""An integer of a body: 1.0 is one to JSON Schema, and so to the contract."""


def optional(schema: dict[str, Any]) -> None:
    """Leave the default out of the contract, so that a field which came later may be missing."""
    schema.pop("default", None)
