"""The HTTP JSON of completions for queries."""

from __future__ import annotations

from pydantic import Field

from inspector.service.wire import Searched, Wire


class QueryValue(Wire):
    """A value of a field."""

    value: str
    count: int = Field(description="Number of searched sessions or spans with this value.")


class QueryValues(Searched):
    """`GET /query/values`: values of a field, the most frequent first."""

    field: str = Field(description="Name with its scope: `session.agent`.")
    values: list[QueryValue]
    is_complete: bool = Field(description="False: only the newest were searched.")
