"""Errors in a query, with their position."""

from __future__ import annotations

from inspector.errors import InspectorError


class QueryError(InspectorError):
    """A query is not valid.

    Args:
        problem: The mistake and what to do, as a sentence.
        query: The whole query.
        position: Index of the first character of the mistake.
        length: Length of the mistake, in characters; 0 at the end.
        suggestion: A likely correction of it.
    """

    code = "bad_query"

    def __init__(
        self,
        problem: str,
        query: str,
        position: int,
        length: int = 0,
        suggestion: str | None = None,
    ) -> None:
        super().__init__(f"{problem} (at character {position + 1})")
        self.problem = problem
        self.query = query
        self.position = position
        self.length = length
        self.suggestion = suggestion

    def pointed(self) -> str:
        """Return the query with a mark under the mistake, for a terminal."""
        return f"{self.query}\n{' ' * self.position}{'^' * max(self.length, 1)}"
