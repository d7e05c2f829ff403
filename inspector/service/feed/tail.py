"""The newest rows, kept in memory, and what a viewer has not seen of them. Pure."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from inspector.service.feed.messages import SESSION, FeedEntry, entries_of, span_key
from inspector.service.feed.narrowing import Narrowing, Queries, choose
from inspector.service.model.records import Changes, shown_bytes

TAIL_ROWS = 16_384
CHUNK = 500
"""Entries per write."""
_ROW_BYTES = 4_096
"""Bytes of a request's arguments that count as one row."""


_NEVER = 2**63
"""Above every change."""
_EVERY_SESSION = ""
"""Stands for all sessions where one is followed; it is the id of none."""
_ALL_IDS = frozenset({_EVERY_SESSION})


class Interest(NamedTuple):
    """What a viewer follows."""

    session_ids: frozenset[str]
    """The sessions whose spans it gets; empty: of all."""
    is_list_slow: bool
    """Whether rows of other sessions may wait, unless they came or settled."""
    narrowing: Narrowing | None = None
    """The rows of other sessions that it gets; None: all."""

    @property
    def followed_ids(self) -> frozenset[str]:
        """The sessions whose spans it gets, or what stands for all."""
        return self.session_ids or _ALL_IDS

    def has_in_list(self, entry: FeedEntry) -> bool:
        """Whether it is a row of the list that this is narrowed to a part of."""
        return (
            self.narrowing is not None
            and entry.key[0] == SESSION
            and entry.key[1] not in self.session_ids
        )


class Position(NamedTuple):
    """What a viewer has seen."""

    cursor: int
    """All changes up to here."""
    ahead: int
    """And up to here all but the rows of other sessions that may wait."""


class Unseen(NamedTuple):
    """The next write to a viewer, and where it brings it."""

    block: bytes
    """Server-sent events, in order; empty: none."""
    entry_count: int
    position: Position
    is_all: bool
    """Whether there is no more."""
    has_list: bool
    """Whether the last of the rows that may wait are in it."""
    row_count: int = 0
    """For a narrowed viewer: rows of the list in it."""
    left_out: int = 0
    """For a narrowed viewer: rows of the list for which there was no room."""


class WriteLimits(NamedTuple):
    """The limits of the next write to a viewer."""

    is_list_due: bool
    """Whether rows of the list that waited are sent, or left out."""
    room: int = 0
    """Number of rows of the list that a narrowed viewer gets."""
    has_report: bool = True
    """Whether it reports rows that were left out."""
    owes_report: bool = False
    """Whether some were left out before that are not reported yet."""


def unseen(
    entries: Sequence[FeedEntry],
    left_out: Sequence[FeedEntry],
    interest: Interest,
    seen: Position,
    position: Position,
    store_id: str | None,
    limits: WriteLimits,
    *,
    is_all: bool,
    has_list: bool,
) -> Unseen:
    """Return `entries` as a write to a viewer that has seen `seen`, and then is at `position`."""
    # What is ahead of rows that wait has no id: the next connection begins with those rows. Nor
    # has what comes after rows that were left out, until that is reported.
    is_cut_safe = limits.has_report or not (limits.owes_report or left_out)
    through = position.cursor if is_cut_safe else 0
    rows = [entry for entry in entries if interest.has_in_list(entry)]
    in_list = {entry.key for entry in rows}
    events = (
        entry.events(
            seen.cursor if entry.key in in_list else seen.ahead,
            store_id if entry.change <= through else None,
        )
        for entry in entries
    )
    return Unseen(
        b"".join(events), len(entries), position, is_all, has_list, len(rows), len(left_out)
    )


class News(NamedTuple):
    """Whom a commit concerns."""

    is_for_all: bool
    """Whether every viewer gets something at once."""
    session_ids: frozenset[str]
    """Sessions with new spans or moments that are followed, and those whose rows changed."""
    may_wait: bool
    """Whether there are changed rows of sessions, which may wait."""


class Tail:
    """The newest version of each row that changed last, as far as viewers follow it.

    Rows that nobody follows are not kept: at thousands of spans a second, what is kept leaves the
    processor's caches before it is dropped.
    """

    def __init__(self, head: int, store_id: str | None) -> None:
        self.store_id = store_id
        """In the ids of events; None: they have none."""
        self._commits: deque[_Commit] = deque()
        self._viewer_counts = Counter[str]()
        """Of each session that is followed."""
        self._followed_since = dict[str, int]()
        """Everything of a followed session that is newer than this is here."""
        self.queries = Queries()
        self.forget(head)

    def forget(self, head: int) -> None:
        """Forget all rows; `head` is the newest change."""
        self.head = head
        self._followed_since = {
            id_: since if since == _NEVER else head for id_, since in self._followed_since.items()
        }
        self._floor = head  # everything newer than this that is followed is here
        self._commits.clear()
        self.queries.forget()
        self.row_count = 0
        self._all = _Newest()
        """Everything, if all sessions are followed."""
        self._own: defaultdict[str, _Newest] = defaultdict(_Newest)
        """Spans and moments, by session."""
        self._everyone = _Newest()
        """What every viewer gets at once."""
        self._changed = _Newest()
        """Sessions that neither came nor settled."""
        self._found: dict[tuple[Position, Interest, WriteLimits], Unseen] = {}
        """The writes since the last commit: viewers of the same often are at the same position."""
        self._found_rows = 0

    def follow(self, interest: Interest) -> None:
        """Keep what a viewer follows, from now on."""
        for id_ in interest.followed_ids:
            self._viewer_counts[id_] += 1
            self._followed_since.setdefault(id_, self.head)
        if interest.narrowing is not None:
            self.queries.follow(interest.narrowing.query)

    def unfollow(self, interest: Interest) -> None:
        """Keep it no longer, unless another viewer follows it."""
        for id_ in interest.followed_ids:
            self._viewer_counts[id_] -= 1
            if not self._viewer_counts[id_]:
                del self._viewer_counts[id_], self._followed_since[id_]
        if interest.narrowing is not None:
            self.queries.unfollow(interest.narrowing.query)
        if not self._viewer_counts:
            self.forget(self.head)

    def add(self, changes: Changes) -> News | None:
        """Add a commit; returns whom it concerns, or None when nobody watches."""
        if not self._viewer_counts:
            self.head = changes.head
            self._clear_found()
            return None
        weight = sum(shown_bytes(record.row) for record in changes.requests) // _ROW_BYTES
        rows = changes.published(changes.first - 1, self.followed_ids)
        sessions = {record.row.id: record for record in changes.sessions}
        news = self.add_entries(changes.head, entries_of(rows, sessions.get), weight)
        for departure in changes.departures:
            # A span that moved must not show in the session that it left.
            if left := self._own.get(departure.session_id):
                for span in changes.spans:
                    if span.session_id != departure.session_id:
                        left.pop(span_key(span))
        return news

    def add_entries(self, head: int, entries: Sequence[FeedEntry], weight: int = 0) -> News:
        """Add what changed up to `head`, as far as it is followed; returns whom it concerns.

        Args:
            head: The newest change.
            entries: By number; those for viewers of other sessions only are left out.
            weight: Number of entries that they count for more than they are.
        """
        if (followed := self.followed_ids) is not None:
            entries = [one for one in entries if one.only_for is None or one.only_for in followed]
        self.head = head
        self._clear_found()
        self.queries.add(entries)
        for entry in entries:
            self._put(entry)
        if entries:
            self._commits.append(_Commit(head, len(entries) + weight, entries))
            self.row_count += len(entries) + weight
        while self.row_count > TAIL_ROWS:
            self._drop(self._commits.popleft())
        changed = {entry.key[1] for entry in entries if entry.may_wait}
        return News(
            any(entry.only_for is None and not entry.may_wait for entry in entries),
            frozenset(changed.union(one.only_for for one in entries if one.only_for is not None)),
            bool(changed),
        )

    def postpone(self, ids: Iterable[str]) -> None:
        """Keep nothing of sessions that nothing comes of yet, until `begin`."""
        self._followed_since |= dict.fromkeys(self._viewer_counts.keys() & set(ids), _NEVER)

    def begin(self) -> None:
        """Keep what comes from now on of all that is followed."""
        self._followed_since = {
            id_: self.head if since == _NEVER else since
            for id_, since in self._followed_since.items()
        }

    @property
    def followed_keys(self) -> frozenset[str]:
        """The sessions that are followed; the empty id stands for all."""
        return frozenset(self._viewer_counts)

    @property
    def followed_ids(self) -> frozenset[str] | None:
        """The sessions that are followed; None: all."""
        return None if _EVERY_SESSION in self._viewer_counts else frozenset(self._viewer_counts)

    def _put(self, entry: FeedEntry) -> None:
        if _EVERY_SESSION in self._viewer_counts:
            self._all.put(entry)
        if entry.only_for is not None:
            self._own[entry.only_for].put(entry)
        elif entry.may_wait:
            self._changed.put(entry)
        else:
            self._everyone.put(entry)
            self._changed.pop(entry.key)

    def _drop(self, oldest: _Commit) -> None:
        self._floor = oldest.head
        self.row_count -= oldest.weight
        for entry in oldest.entries:
            for newest in (self._all, self._everyone, self._changed):
                newest.drop(entry)
            id_ = entry.only_for
            if id_ is not None and id_ in self._own:
                self._own[id_].drop(entry)
                if not self._own[id_]:  # also if all of it moved away
                    del self._own[id_]

    def unseen(self, seen: Position, interest: Interest, limits: WriteLimits) -> Unseen | None:
        """Return what a viewer has not seen; None when not all of it is here.

        Of rows that changed more than once, the newest version.
        """
        since = max(self._followed_since[id_] for id_ in interest.followed_ids)
        if seen.cursor < max(self._floor, since):
            return None
        case = (seen, interest, limits)
        found = self._found.get(case)
        if found is None:
            found = self._find(*case)
            self._found_rows += 1 + found.entry_count
            if self._found_rows > TAIL_ROWS:  # where a viewer begins is its own choice
                self._clear_found()
            self._found[case] = found
        return found

    def _clear_found(self) -> None:
        self._found.clear()
        self._found_rows = 0

    def _find(self, seen: Position, interest: Interest, limits: WriteLimits) -> Unseen:
        if interest.narrowing is not None:
            return self._find_part(seen, interest, interest.narrowing, limits)
        ids = interest.session_ids
        waiting: list[FeedEntry] = []
        if not ids:
            entries = list(self._all.after(seen.cursor))
        else:
            entries = self._own_rows(seen, ids)
            if limits.is_list_due or seen.cursor == seen.ahead:
                changed = self._changed.after(seen.cursor)
                waiting = [entry for entry in changed if entry.key[1] not in ids]
        if limits.is_list_due:
            entries += waiting
        if ids:  # what came for everyone may have changed since
            newer = {entry.key for entry in entries}
            everyone = self._everyone.after(seen.ahead)
            entries += [entry for entry in everyone if entry.key not in newer]
        return self._write(entries, waiting, (), interest, seen, limits)

    def _find_part(
        self, seen: Position, interest: Interest, narrowing: Narrowing, limits: WriteLimits
    ) -> Unseen:
        """Return what a viewer of a part of the list has not seen."""
        entries = self._own_rows(seen, interest.session_ids)
        newer = {entry.key for entry in entries}
        entries += [
            entry
            for entry in self._everyone.after(seen.ahead)
            if entry.key not in newer and not interest.has_in_list(entry)
        ]
        entries = self.queries.marked(entries, narrowing)
        rows = self.queries.wanted(self._list_rows(seen, interest), narrowing, seen.cursor)
        has_room = not interest.is_list_slow and len(rows) <= limits.room
        left_out: Sequence[FeedEntry] = ()
        if has_room or limits.is_list_due or not rows:
            limits = limits._replace(is_list_due=True)
            first, left_out = choose(rows, narrowing, limits.room)
            entries += first
        return self._write(entries, rows, left_out, interest, seen, limits)

    def _own_rows(self, seen: Position, ids: Iterable[str]) -> list[FeedEntry]:
        """Return what changed in the sessions of a viewer, and their rows."""
        entries: list[FeedEntry] = []
        for id_ in ids:
            if id_ in self._own:
                entries += self._own[id_].after(seen.ahead)
            if (row := self._changed.get((SESSION, id_))) and row.change > seen.ahead:
                entries.append(row)
        return entries

    def _list_rows(self, seen: Position, interest: Interest) -> Iterable[FeedEntry]:
        """Return the newest version of each row of the list that changed, newest first."""
        found = itertools.chain(self._changed.after(seen.cursor), self._everyone.after(seen.cursor))
        rows: dict[tuple[str, ...], FeedEntry] = {}
        for entry in sorted(found, key=attrgetter("change"), reverse=True):
            if interest.has_in_list(entry):
                rows.setdefault(entry.key, entry)
        return rows.values()

    def _write(
        self,
        entries: list[FeedEntry],
        waiting: Sequence[FeedEntry],
        left_out: Sequence[FeedEntry],
        interest: Interest,
        seen: Position,
        limits: WriteLimits,
    ) -> Unseen:
        """Return the first of `entries`; of those that are `waiting` all are in it or none."""
        owed = _NEVER
        if not limits.is_list_due:
            if seen.cursor < seen.ahead:
                owed = seen.cursor + 1
            elif waiting:
                owed = waiting[-1].change
        entries.sort(key=attrgetter("change"))
        is_all = len(entries) <= CHUNK
        reached = self.head if is_all else entries[CHUNK - 1].change
        return unseen(
            entries[:CHUNK],
            [entry for entry in left_out if entry.change <= reached],
            interest,
            seen,
            Position(min(reached, owed - 1), max(seen.ahead, reached)),
            self.store_id,
            limits,
            is_all=is_all,
            has_list=limits.is_list_due and is_all and bool(waiting),
        )


class _Commit(NamedTuple):
    head: int
    weight: int
    entries: Sequence[FeedEntry]


class _Newest:
    """The newest version of each row, by change."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, ...], FeedEntry] = {}

    def __bool__(self) -> bool:
        return bool(self._entries)

    def put(self, entry: FeedEntry) -> None:
        self._entries.pop(entry.key, None)  # put again, it comes last
        self._entries[entry.key] = entry

    def get(self, key: tuple[str, ...]) -> FeedEntry | None:
        return self._entries.get(key)

    def pop(self, key: tuple[str, ...]) -> None:
        self._entries.pop(key, None)

    def drop(self, entry: FeedEntry) -> None:
        """Remove this version, unless there is a newer one."""
        if self._entries.get(entry.key) is entry:
            del self._entries[entry.key]

    def after(self, change: int) -> Iterator[FeedEntry]:
        """Yield the entries after `change`, newest first."""
        return itertools.takewhile(
            lambda entry: entry.change > change, reversed(self._entries.values())
        )
