"""Evaluate a query on a session or a span: the definition of the language.

A store may leave out rows that cannot match (`storage.sqlite_narrowing`), so that fewer are read.
Only this decides which match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from operator import ge, gt, le, lt
from typing import Any, TypeAlias, assert_never

from inspector.service.model.otlp_values import flat_attributes
from inspector.service.model.records import SessionRecord, SpanRecord
from inspector.service.model.rows import Json
from inspector.service.query.tree import (
    All,
    Compare,
    CompareAttribute,
    Either,
    Node,
    Not,
    Operator,
    Related,
    Relation,
    Text,
)
from inspector.service.query.words import fold, has_words
from inspector.service.search.documents import session_texts, span_text
from inspector.service.search.fields import read
from inspector.service.search.marks import as_text
from inspector.service.storage.base import Reader, SpanPosition, SpanReader, TooLateError

Subject: TypeAlias = SessionRecord | SpanRecord

_ORDER: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.LESS: lt,
    Operator.AT_MOST: le,
    Operator.GREATER: gt,
    Operator.AT_LEAST: ge,
}
_COSTS = {Relation.SESSION: 1, Relation.PARENT: 2, Relation.ANCESTOR: 3}
_PAGE = 250
_CACHED_TRACES = 32
_CACHED_ROWS = 1_024


def cheapest_first(node: Node) -> Node:
    """Return the same query with the cheapest conditions first."""
    match node:
        case All(parts):
            return All(tuple(sorted(map(cheapest_first, parts), key=_cost)))
        case Either(parts):
            return Either(tuple(sorted(map(cheapest_first, parts), key=_cost)))
        case Not(part):
            return Not(cheapest_first(part))
        case Related(relation, part):
            return Related(relation, cheapest_first(part))
        case _:
            return node


def _cost(node: Node) -> int:
    match node:
        case All(parts) | Either(parts):
            return max(map(_cost, parts), default=0)
        case Not(part):
            return _cost(part)
        case Related(relation, part):
            return _COSTS.get(relation, 5) + _cost(part)
        case CompareAttribute():
            return 2
        case Text():
            return 3
        case Compare():
            return 0
        case _ as never:
            assert_never(never)


def may_fit(node: Node, session: SessionRecord, now_ns: int) -> bool | None:
    """Return whether a session matches by its own fields; None: its spans decide."""
    match node:
        case All(parts):
            answers = [may_fit(part, session, now_ns) for part in parts]
            return False if False in answers else None if None in answers else True
        case Either(parts):
            answers = [may_fit(part, session, now_ns) for part in parts]
            return True if True in answers else None if None in answers else False
        case Not(part):
            answer = may_fit(part, session, now_ns)
            return None if answer is None else not answer
        case Compare():
            return _field_is_so(node, session, now_ns)
        case Text():
            return _session_has_text(node, session)
        case _:
            return None


class Evaluator:
    """Evaluates queries in one snapshot. Caches traces, so that each is read once.

    Args:
        reader: The snapshot.
        now_ns: The end of durations of what still runs.
        known_spans: Returns the changes of all spans of a session that may match; None: unknown.
        source: Where to read spans; None: in the snapshot.
    """

    def __init__(
        self,
        reader: Reader,
        now_ns: int,
        known_spans: Callable[[Node, str], Sequence[int] | None] = lambda part, session_id: None,
        *,
        source: SpanReader | None = None,
    ) -> None:
        self._known_spans = known_spans
        self.is_late: Callable[[], bool] = lambda: False
        """Called for sessions with many spans; if true, `fits` raises `TooLateError`."""
        self._reader = reader
        self._source = source or reader
        self._now_ns = now_ns
        self._family = lru_cache(_CACHED_TRACES)(self._read_family)
        self._session = lru_cache(_CACHED_ROWS)(reader.session)
        self._span = lru_cache(_CACHED_ROWS)(self._read_span)
        self._folded: tuple[int, list[str]] = (0, [])

    def fits(self, node: Node, subject: Subject) -> bool:
        """Return whether `subject`, of the scope that `node` was checked for, matches."""
        match node:
            case All(parts):
                return all(self.fits(part, subject) for part in parts)
            case Either(parts):
                return any(self.fits(part, subject) for part in parts)
            case Not(part):
                return not self.fits(part, subject)
            case Compare():
                return _field_is_so(node, subject, self._now_ns)
            case CompareAttribute():
                return self._compare_attribute(node, _span(subject))
            case Text():
                return self._has_text(node, subject)
            case Related(relation, part):
                others = self._related(relation, part, subject)
                return any(self.fits(part, other) for other in others)
            case _ as never:
                assert_never(never)

    def _compare_attribute(self, node: CompareAttribute, span: SpanRecord) -> bool:
        content = self._source.content(span)
        if node.key.encode() not in content.payload + content.origin:
            return False
        attributes = flat_attributes(content.resource_spans().resource.attributes)
        attributes |= flat_attributes(content.span().attributes)
        return _attribute_is_so(attributes.get(node.key), node)

    def _has_text(self, node: Text, subject: Subject) -> bool:
        if isinstance(subject, SessionRecord):
            return _session_has_text(node, subject)
        texts = self._texts(subject)
        return any(has_words(text, node.words, is_prefix=node.is_prefix) for text in texts)

    def _texts(self, span: SpanRecord) -> list[str]:
        """Return the folded texts of a span, cached: a query may have several words."""
        change, texts = self._folded
        if change != span.change:
            texts = [fold(text) for text in span_text(span, self._source.content(span)).texts]
            self._folded = span.change, texts
        return texts

    def _related(self, relation: Relation, part: Node, subject: Subject) -> Iterable[Subject]:
        if isinstance(subject, SessionRecord):
            return self._spans_of(subject.row.id, part)
        match relation:
            case Relation.SESSION:
                session = self._session(subject.session_id)
                return () if session is None else (session,)
            case Relation.SPAN:
                return (subject,)
            case Relation.PARENT:
                return islice(self._ancestors(subject), 1)
            case Relation.ANCESTOR:
                return self._ancestors(subject)
            case Relation.CHILD:
                return self._family(subject.trace_id).children(subject)
            case Relation.DESCENDANT:
                return self._family(subject.trace_id).descendants(subject)
            case _ as never:
                assert_never(never)

    def _spans_of(self, session_id: str, part: Node) -> Iterator[SpanRecord]:
        if (known := self._known_spans(part, session_id)) is not None:
            yield from self._source.spans_among(part, known)
            return
        after: SpanPosition | None = None
        while True:
            with self._reader.until(self.is_late):
                page = self._source.spans_of(session_id, after, _PAGE, part)
            if not page:
                return
            yield from page
            if self.is_late():
                raise TooLateError("The time limit for searching this session is reached.")
            last = page[-1]
            after = SpanPosition(last.start_ns, last.span_id, last.trace_id)

    def _ancestors(self, span: SpanRecord) -> Iterator[SpanRecord]:
        # One by one: a trace may have a hundred thousand spans, and few above each.
        seen = {span.span_id}
        while span.parent_span_id is not None and span.parent_span_id not in seen:
            parent = self._span(span.trace_id, span.parent_span_id)
            if parent is None:
                return
            seen.add(parent.span_id)
            yield parent
            span = parent

    def _read_span(self, trace_id: str, span_id: str) -> SpanRecord | None:
        return next(iter(self._source.spans(trace_id, (span_id,))), None)

    def _read_family(self, trace_id: str) -> _Family:
        return _Family(self._source.spans(trace_id))


class _Family:
    """The children and descendants in one trace. A circle of parents ends at its start."""

    def __init__(self, spans: Iterable[SpanRecord]) -> None:
        self._children: dict[str | None, list[SpanRecord]] = {}
        for span in spans:
            self._children.setdefault(span.parent_span_id, []).append(span)

    def children(self, span: SpanRecord) -> list[SpanRecord]:
        found = self._children.get(span.span_id, [])
        return [child for child in found if child.span_id != span.span_id]

    def descendants(self, span: SpanRecord) -> Iterator[SpanRecord]:
        seen = {span.span_id}
        waiting = self.children(span)
        while waiting:
            child = waiting.pop()
            if child.span_id not in seen:
                seen.add(child.span_id)
                yield child
                waiting += self.children(child)


def _session_has_text(node: Text, session: SessionRecord) -> bool:
    texts = map(fold, session_texts(session))
    return any(has_words(text, node.words, is_prefix=node.is_prefix) for text in texts)


def _field_is_so(node: Compare, subject: Subject, now_ns: int) -> bool:
    value = read(node.field, subject, now_ns)
    if isinstance(value, tuple):
        return any(_is_so(one, node.operator, node.value) for one in value)
    return _is_so(value, node.operator, node.value)


def _is_so(value: Any, operator: Operator, wanted: str | int | float) -> bool:
    if value is None:
        return False
    if operator is Operator.IS_KNOWN:
        return True
    if operator in _ORDER:
        return _ORDER[operator](value, wanted)
    if not isinstance(wanted, str):
        return bool(value == wanted)
    return _text_is_so(str(value), operator, wanted)


def _attribute_is_so(value: Json, node: CompareAttribute) -> bool:
    if value is None:
        return False
    if node.operator is Operator.IS_KNOWN:
        return True
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if node.operator in _ORDER:
        return is_number and _ORDER[node.operator](value, node.number)
    if is_number and node.number is not None and node.operator is Operator.EQUALS:
        return bool(value == node.number)
    values = value if isinstance(value, list) else [value]
    return any(_text_is_so(as_text(one), node.operator, node.text) for one in values)


def _text_is_so(text: str, operator: Operator, wanted: str) -> bool:
    folded = text.casefold()
    if operator is Operator.CONTAINS:
        return wanted in folded
    if operator is Operator.FITS:
        return _pattern(wanted).fullmatch(folded) is not None
    return folded == wanted


@lru_cache(256)
def _pattern(wanted: str) -> re.Pattern[str]:
    # Each piece matches at its first place only (an atomic group): no other place could help, so
    # the time is linear in the length of the text.
    first, *pieces = (re.escape(piece) for piece in re.sub(r"\*+", "*", wanted).split("*"))
    *middle, last = pieces
    found = "".join(f"(?>.*?{piece})" for piece in middle)
    return re.compile(f"{first}{found}.*{last}", re.DOTALL)


def _span(subject: Subject) -> SpanRecord:
    assert isinstance(subject, SpanRecord)
    return subject
