"""The index of words follows its store through all failures, and a search is never wrong."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.model.records import MAX_INT
from inspector.service.query import QueryScope, parse_query
from inspector.service.search import open_search
from inspector.service.search.evaluator import Evaluator
from inspector.service.search.indexing import Indexer
from inspector.service.storage import Store, open_store
from inspector.service.storage.word_index import Additions, SpanDocument, WordIndex
from inspector.service.storage.word_reader import IndexedSpans, Phrase
from tests.support.models.store import ModelStore
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import started

NOW_NS = START_NS + 100 * SECOND_NS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store-words"


@pytest.fixture
def index(path: Path) -> Iterator[WordIndex]:
    with closing(WordIndex(path, "s1", 1)) as index:
        yield index


def add(index: WordIndex, *words: str, through: int = 0) -> None:
    """Index documents, numbered by where they end up."""
    first = index.through()
    spans = [SpanDocument(first + n, first + n, "S", text) for n, text in enumerate(words, 1)]
    index.add([Additions(through or first + len(words), spans)])


def found(index: WordIndex, words: str) -> list[int]:
    with index.read() as reader:
        spans = reader.spans(Phrase(words), MAX_INT, 100, lambda: False)
    assert spans is not None
    assert spans.next is None
    return spans.changes


def catch_up(store: Store, index: WordIndex) -> None:
    indexer = Indexer(store, index, is_running=False)
    while indexer.step():
        pass


def searched(store: Store, index: WordIndex | None, text: str) -> list[str]:
    with open_search(store, index, NOW_NS, page_s=60) as search:
        page = search.spans(parse_query(text, QueryScope.SPAN, NOW_NS), None, 100)
    return [row.name for row in page.rows]


def test_the_index_goes_on_where_it_ended_when_it_is_opened_again(path: Path) -> None:
    with closing(WordIndex(path, "s1", 1)) as index:
        add(index, "one two", "two three")
    with closing(WordIndex(path, "s1", 1)) as index:
        assert index.through() == 2
        add(index, "two")
        assert found(index, "two") == [3, 2, 1]


@pytest.mark.parametrize(("store_id", "version"), [("s2", 1), ("s1", 2)])
def test_the_index_of_another_store_or_version_is_made_anew(
    path: Path, store_id: str, version: int
) -> None:
    with closing(WordIndex(path, "s1", 1)) as index:
        add(index, "one")
    with closing(WordIndex(path, store_id, version)) as index:
        assert index.through() == 0
        assert found(index, "one") == []


def test_a_file_that_is_no_index_is_replaced_and_that_is_logged_once(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_bytes(b"something else " * 1000)
    with caplog.at_level(logging.WARNING), closing(WordIndex(path, "s1", 1)) as index:
        add(index, "one")
        assert found(index, "one") == [1]
    assert [record.message for record in caplog.records if "rebuilt" in record.message]
    assert len(caplog.records) == 1


def test_an_index_that_breaks_while_it_is_used_is_made_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "words"
    store = ModelStore()
    rig = Rig(store)
    rig.record(
        *(span(f"needle {n}", span_id=n, attributes={"n": "x " * 900}) for n in range(1, 60))
    )
    with closing(WordIndex(path, store.id, 1)) as index:
        catch_up(store, index)
    broken = bytearray(path.read_bytes())
    for place in range(3 * 8192, len(broken), 8192):
        broken[place : place + 2000] = b"\xff" * 2000
    path.write_bytes(broken)
    with caplog.at_level(logging.WARNING), closing(WordIndex(path, store.id, 1)) as index:
        assert len(searched(store, index, "needle")) == 59  # looked at one by one
        catch_up(store, index)
        assert len(found(index, "needle")) == 59
    assert len([one for one in caplog.records if "rebuilt" in one.message]) == 1


def test_a_replaced_span_is_found_by_its_new_words_only(index: WordIndex) -> None:
    index.add([Additions(1, [SpanDocument(1, 1, "S", "old")])])
    index.add([Additions(2, [SpanDocument(2, 1, "S", "new")])])
    assert (found(index, "old"), found(index, "new")) == ([], [2])


def test_what_was_deleted_leaves_the_index(path: Path) -> None:
    with closing(open_store("memory:")) as store, closing(WordIndex(path, store.id, 1)) as index:
        rig = Rig(store)
        rig.record(
            span("secret", attributes={"session.id": "S"}), span("other", trace=2, span_id=2)
        )
        catch_up(store, index)
        rig.delete("S")
        catch_up(store, index)
        assert len(found(index, "other")) == 1
        assert found(index, "secret") == []


def test_an_index_that_is_ahead_of_its_store_is_made_anew(index: WordIndex) -> None:
    store = ModelStore()
    rig = Rig(store)
    rig.record(span("needle"))
    index.add([Additions(1_000)])
    catch_up(store, index)
    assert len(found(index, "needle")) == 1


def test_a_search_that_began_before_a_change_finds_what_was_there(index: WordIndex) -> None:
    store = open_store("memory:")
    rig = Rig(store)
    rig.record(started(span("needle", duration_ns=None)))
    catch_up(store, index)
    with index.read() as before:
        rig.record(span("thimble"))
        catch_up(store, index)
        assert before.spans(Phrase("needle"), MAX_INT, 9, lambda: False) == IndexedSpans([2], None)
    assert searched(store, index, "needle") == []
    assert searched(store, index, "thimble") == ["thimble"]


def test_what_is_found_goes_over_many_parts_and_stops_when_it_is_late(index: WordIndex) -> None:
    part = 2**15
    changes = [1, part - 1, part, 3 * part + 5]
    index.add([Additions(4 * part, [SpanDocument(n, n, "S", "needle") for n in changes])])
    assert found(index, "needle") == changes[::-1]
    with index.read() as reader:
        needle = Phrase("need", is_prefix=True)
        first = reader.spans(needle, MAX_INT, 9, lambda: True)
        assert first == IndexedSpans([3 * part + 5], 3 * part)
        assert reader.spans(needle, 3 * part, 1, lambda: False) == IndexedSpans([part], part)
        assert reader.spans(needle, part, 2, lambda: False) == IndexedSpans([part - 1, 1], 1)
        assert reader.spans(needle, 1, 2, lambda: False) == IndexedSpans([], None)
        assert reader.sessions_of_spans(needle, 4, lambda: False) == {"S": changes}
        assert reader.sessions_of_spans(needle, 3, lambda: False) is None
        assert reader.sessions_of_spans(needle, 4, lambda: True) is None


# --- whatever happens, the index finds what reading everything finds ---------------------------

_WORDS = ("merge", "Conflict", "café", "合并", "a/b.py", "sk-12", "merge conflict")
_lines = st.lists(st.sampled_from(_WORDS), max_size=3).map(" ".join)
_ids = st.integers(1, 6)
_takes = st.tuples(st.just("take"), _ids, st.integers(1, 3), _lines, st.booleans(), st.booleans())
_steps = st.one_of(
    _takes,
    _takes,
    st.just(("index",)),
    st.just(("reopen",)),
    st.tuples(st.just("delete"), st.integers(1, 2)),
)
_texts = st.sampled_from(
    [*_WORDS, "merge conflict", "mer*", "-merge", "merge OR cafe", "(mer* -conflict)", "py", "nix",
     "kind:tool merge", "@said~merge", "@said:merge", "@said:*", "name:merge", "tool:merge",
     "status:running", "session(merge)", "parent(merge)", "service:demo merge", "agent:*",
     "duration>=1s", "duration<900ms", "-duration>1s", "started>-2d", "started<2026-01-02",
     "started:2026-01-01..2026-01-02 merge", "size>100", "root:yes", "errors:0 started>-1d",
     "engine:otlp -merge", "descendant(name:merge) OR 并", "-(merge conflict)"]
)  # fmt: skip


@pytest.mark.slow
@given(st.lists(_steps, min_size=1, max_size=25), st.lists(_texts, min_size=1, max_size=4))
def test_a_search_with_an_index_finds_what_reading_everything_finds(
    steps: list[tuple[object, ...]], texts: list[str]
) -> None:
    with TemporaryDirectory() as folder, closing(open_store(f"sqlite:///{folder}/s")) as store:
        path = Path(folder) / "words"
        index = WordIndex(path, store.id, 1)
        rig = Rig(store)
        for step in steps:
            match step:
                case ("take", int(number), int(trace), str(text), bool(has_ended), bool(named)):
                    attributes = {"said": text, "gen_ai.operation.name": "execute_tool"}
                    if named:
                        attributes["session.id"] = f"S{trace % 2 + 1}"
                    one = span(
                        text or "?",
                        trace=trace,
                        span_id=number,
                        parent=number - 1 or None,
                        duration_ns=SECOND_NS if has_ended else None,
                        attributes=attributes,
                    )
                    rig.record(one if has_ended else started(one))
                case ("index",):
                    Indexer(store, index, is_running=False).step()
                case ("reopen",):
                    index.close()
                    index = WordIndex(path, store.id, 1)
                case ("delete", int(number)):
                    rig.delete(f"S{number}")
        for text in texts:
            _check(store, index, text)
        index.close()


def _check(store: Store, index: WordIndex, text: str) -> None:
    of_spans = parse_query(text, QueryScope.SPAN, NOW_NS)
    of_sessions = parse_query(text, QueryScope.SESSION, NOW_NS)
    with store.read() as reader:
        plain = Evaluator(reader, NOW_NS)
        spans = [
            row
            for one in reader.newest_sessions(parse_query("", QueryScope.SESSION, 0), None, 99).rows
            for row in reader.spans_of(one.row.id)
        ]
        sessions = reader.newest_sessions(parse_query("", QueryScope.SESSION, 0), None, 99).rows
        expected_spans = {one.change for one in spans if plain.fits(of_spans, one)}
        expected_sessions = {one.row.id for one in sessions if plain.fits(of_sessions, one)}
    with open_search(store, index, NOW_NS, page_s=60) as search:
        search.page_s = 60
        changes: list[int] = []
        before: int | None = None
        while True:
            page = search.spans(of_spans, before, 2)
            changes += [one.change for one in page.rows]
            if page.next is None:
                break
            before = page.next
        found_sessions = [one.row.id for one in search.sessions(of_sessions, None, 99).rows]
    assert changes == sorted(expected_spans, reverse=True)
    assert len(found_sessions) == len(set(found_sessions))
    assert set(found_sessions) == expected_sessions
