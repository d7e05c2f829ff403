"""Errors in a query, with their position."""

from __future__ import annotations

from inspector.errors import InspectorError


class QueryError(InspectorError):
    """A query is not valid.

    Args:
        problem: What is wrong and what to do, as a sentence.
        query: The whole of it.
        position: Index of the character that the problem begins at.
        length: How many characters it is about; 0 at the end.
        suggestion: What was probably meant instead of them.
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
