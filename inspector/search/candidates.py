"""Which sessions may be what a query asks for, by the index of words.

A session has many spans, and each part of a query may be about another one. So sets of sessions
are put together here, where for spans one question to the index is enough (`terms`).
"""

from __future__ import annotations

from collections.abc import Callable

from inspector.query.tree import All, Either, Node, Related, Relation
from inspector.search.terms import session_term, span_terms
from inspector.storage.word_reader import WordReader

MAX_FOUND = 5_000
"""When more spans or sessions than that are found, it is no help to know them."""


def session_candidates(
    node: Node, words: WordReader, is_late: Callable[[], bool]
) -> set[str] | None:
    """Return the ids of all indexed sessions that may fit `node`.

    None: they are too many, `is_late` said so, or the index cannot tell.
    """
    match node:
        case All(parts):
            # The first that are few are enough: whoever asks looks at each of them.
            found = (session_candidates(part, words, is_late) for part in parts)
            return next((one for one in found if one is not None), None)
        case Either(parts):
            return _union([session_candidates(part, words, is_late) for part in parts])
        case Related(Relation.SPAN, part):
            term = span_terms(part)
            return None if term is None else words.sessions_of_spans(term, MAX_FOUND, is_late)
        case _:
            term = session_term(node)
            return None if term is None else words.sessions(term, MAX_FOUND)


def _union(sets: list[set[str] | None]) -> set[str] | None:
    known = [one for one in sets if one is not None]
    return set().union(*known) if len(known) == len(sets) else None
