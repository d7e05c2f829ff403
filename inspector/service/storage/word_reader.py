"""Read the index of words: the spans and sessions with a term."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import apsw

from inspector.service.model.records import MAX_INT
from inspector.service.storage.base import Reader, SpanReader

PART_BITS = 15
"""Size of a part of the index of spans, as a power of 2 of changes. Parts bound the work of
a prefix search, which SQLite cannot interrupt, and of a merge."""

BROKEN = (apsw.CorruptError, apsw.NotADBError)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Folded words in a row."""

    words: str
    is_prefix: bool = False
    """The last of them may be the beginning of one."""


@dataclass(frozen=True, slots=True)
class AllTerms:
    """All of one or more terms."""

    parts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class EitherTerm:
    """Any of one or more terms."""

    parts: tuple[Term, ...]


Term: TypeAlias = Phrase | AllTerms | EitherTerm


class IndexedSpans(NamedTuple):
    """Spans of the index."""

    changes: list[int]
    """Newest first."""
    next: int | None
    """The change before which to continue; None: there are no more."""


class Missing(NamedTuple):
    """Why something was not looked at."""

    why: str
    since_ns: int | None


class Words(Protocol):
    """What is known of words, in one snapshot. May be too much, never too little."""

    through: int
    """All that changed up to here is found. A store's snapshot that is opened later knows
    nothing newer of that, but for what it says changed after this."""
    missing: Missing | None
    """None: all was looked at."""
    has_all: bool
    """Whether it has spans that the store has not."""

    def spans(
        self, term: Term, before: int, most: int, is_late: Callable[[], bool]
    ) -> IndexedSpans | None:
        """Return the newest changes before `before` of spans that have `term`.

        Args:
            term: What they have.
            before: Where to go on.
            most: Of them.
            is_late: Asked now and then whether to stop.

        None: they cannot be read.
        """

    def sessions_of_spans(
        self, term: Term, most: int, is_late: Callable[[], bool]
    ) -> dict[str, list[int]] | None:
        """Return the sessions that have a span with `term`, by id, with these spans' changes.

        None: more than `most` spans have it, or `is_late` said so.
        """

    def sessions(self, term: Term, most: int) -> set[str] | None:
        """Return the ids of the sessions that have `term` themselves; None: more than `most`."""

    def source(self, reader: Reader, now_ns: int) -> SpanReader:
        """Return where spans are read: those in `reader`, and others."""


class WordsOf(Protocol):
    """An index of words."""

    def read(self) -> AbstractContextManager[Words]:
        """Open a snapshot, before that of the store."""


class WordReader:
    """One snapshot of the index."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self.through: int = next(connection.execute("SELECT through FROM meta"))[0]
        self.broken: apsw.Error | None = None
        self.missing: Missing | None = None
        self.has_all = False

    def spans(
        self, term: Term, before: int, most: int, is_late: Callable[[], bool]
    ) -> IndexedSpans | None:
        """Return the newest changes before `before` of spans that have `term`.

        Args:
            term: What they have.
            before: Where to go on.
            most: Of them.
            is_late: Asked now and then whether to stop.

        None: The index is broken.
        """
        parts = self._parts(before)
        if parts is None:
            return None
        changes: list[int] = []
        expression = _expression(term)
        for part in parts:
            sql = (
                f"SELECT rowid FROM span_words_{part} WHERE span_words_{part} MATCH ?"
                " AND rowid < ? ORDER BY rowid DESC LIMIT ?"
            )
            found = self._numbers(sql, (expression, before, most - len(changes)))
            if found is None:
                return None
            changes += found
            if len(changes) == most:
                return IndexedSpans(changes, changes[-1])
            if is_late():
                return IndexedSpans(changes, part << PART_BITS)
        return IndexedSpans(changes, None)

    def sessions_of_spans(
        self, term: Term, most: int, is_late: Callable[[], bool]
    ) -> dict[str, list[int]] | None:
        """Return the sessions that have a span with `term`, by id, with these spans' changes.

        None: more than `most` spans have it, or `is_late` said so.
        """
        found = self.spans(term, MAX_INT, most + 1, is_late)
        if found is None or found.next is not None:
            return None
        sql = (
            "SELECT session.id, change FROM span JOIN session ON session.no = session_no"
            " WHERE change IN (SELECT value FROM json_each(?))"
        )
        sessions: dict[str, list[int]] = {}
        try:
            for row in self._connection.execute(sql, (json.dumps(found.changes),)):
                sessions.setdefault(str(row[0]), []).append(int(row[1]))
        except BROKEN as error:
            self.broken = error
            return None
        return sessions

    def sessions(self, term: Term, most: int) -> set[str] | None:
        """Return the ids of the sessions that have `term` themselves; None: more than `most`."""
        sql = "SELECT rowid FROM session_words WHERE session_words MATCH ? LIMIT ?"
        found = self._numbers(sql, (_expression(term), most + 1))
        return None if found is None or len(found) > most else self._ids(found)

    def source(self, reader: Reader, now_ns: int) -> Reader:
        """Return where spans are read: in the store."""
        return reader

    def _parts(self, before: int) -> list[int] | None:
        sql = "SELECT no FROM part WHERE no <= ? ORDER BY no DESC"
        return self._numbers(sql, ((before - 1) >> PART_BITS,))

    def _ids(self, numbers: list[int] | None) -> set[str] | None:
        if numbers is None:
            return None
        sql = "SELECT id FROM session WHERE no IN (SELECT value FROM json_each(?))"
        return {row[0] for row in self._connection.execute(sql, (json.dumps(numbers),))}

    def _numbers(self, sql: str, parameters: tuple[apsw.SQLiteValue, ...]) -> list[int] | None:
        try:
            return [row[0] for row in self._connection.execute(sql, parameters)]
        except BROKEN as error:
            self.broken = error
            return None


def _expression(term: Term) -> str:
    """Return `term` in the language of FTS5; folded words need no escapes."""
    match term:
        case Phrase(words, is_prefix):
            return f'"{words}" *' if is_prefix else f'"{words}"'
        case AllTerms(parts):
            return f"({' AND '.join(map(_expression, parts))})"
        case EitherTerm(parts):
            return f"({' OR '.join(map(_expression, parts))})"
