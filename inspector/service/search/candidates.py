"""Sessions that may match a query, by the index of words.

A session has many spans, and each part of a query may match another one. So sets of sessions are
combined here, while for spans one query of the index is enough (`terms`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from inspector.service.query.tree import All, Either, Node, Related, Relation
from inspector.service.search.terms import session_term, span_terms
from inspector.service.storage.word_reader import Words

FEW_SPANS, MANY_SPANS = 500, 5_000
"""Limits of the spans that are read from the index: first few, which mostly are enough, then many;
with more the index is no help."""
MANY_SESSIONS = 1_000
"""Limit of sessions read from the index: more are faster to read from the store."""


@dataclass(slots=True)
class Candidates:
    """Queries the index for one query.

    Args:
        words: The index.
        now_ns: The time that the query's times refer to.
        is_late: Whether to stop.
    """

    words: Words
    now_ns: int
    is_late: Callable[[], bool]
    _most: int = FEW_SPANS
    _spans: dict[Node, dict[str, list[int]]] = field(default_factory=dict)
    _newer: set[str] = field(default_factory=set)

    def sessions(self, node: Node) -> set[str] | None:
        """Return the ids of all indexed sessions that may match `node`.

        None: they are too many, it is late, or the index does not know.
        """
        for self._most in (FEW_SPANS, MANY_SPANS):
            if (found := self._sessions(node)) is not None:
                return found
        return None

    def _sessions(self, node: Node) -> set[str] | None:
        match node:
            case All(parts):
                # All parts are evaluated: `spans` uses what they find in each session.
                known = [one for part in parts if (one := self._sessions(part)) is not None]
                return set.intersection(*known) if known else None
            case Either(parts):
                found = [self._sessions(part) for part in parts]
                known = [one for one in found if one is not None]
                return set().union(*known) if len(known) == len(found) else None
            case Related(Relation.SPAN, part):
                return self._of_some_span(part)
            case _:
                term = session_term(node)
                return None if term is None else self.words.sessions(term, MANY_SESSIONS)

    def add_newer(self, session_ids: set[str]) -> None:
        """Add sessions that changed after the index was updated."""
        self._newer = session_ids

    def spans(self, part: Node, session_id: str) -> Sequence[int] | None:
        """Return the changes of a session's spans that may match `part`; None: unknown."""
        by_session = self._spans.get(part)
        if by_session is None or session_id in self._newer:
            return None
        return by_session.get(session_id, ())

    def _of_some_span(self, part: Node) -> set[str] | None:
        if part in self._spans:
            return set(self._spans[part])
        term = span_terms(part, self.now_ns)
        if term is None or self.is_late():
            return None
        found = self.words.sessions_of_spans(term, self._most, self.is_late)
        if found is None:
            return None
        self._spans[part] = found
        return set(found)
