"""The splitter of server-sent events, wherever the stream is cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.sse import EventSplitter, ServerSentEvent, TooLongError

LINES = st.sampled_from(
    ["data: a", "data:b", "data", "data: ü☃", ": alive", "id: 7", "event: x", "", "", "nonsense"]
)
STREAMS = st.tuples(st.lists(LINES), st.sampled_from(["\n", "\r\n"])).map(
    lambda made: "".join(line + made[1] for line in made[0]).encode()
)


@given(STREAMS, st.lists(st.integers(0, 200)))
def test_where_a_stream_is_cut_makes_no_difference(stream: bytes, cuts: list[int]) -> None:
    whole = list(EventSplitter().feed(stream))
    splitter, found = EventSplitter(), list[ServerSentEvent]()
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    for start, end in pairwise(edges):
        found.extend(splitter.feed(stream[start:end]))
    assert found == whole


@given(st.lists(st.binary(max_size=50), max_size=50))
def test_any_bytes_are_split_or_too_long(pieces: list[bytes]) -> None:
    splitter = EventSplitter(max_bytes=100)
    try:
        events = [event for piece in pieces for event in splitter.feed(piece)]
    except TooLongError:
        return
    assert all(len(event.data) <= 100 for event in events)


def test_the_lines_of_an_event_are_one_text_and_its_id_is_its_own() -> None:
    stream = b": hi\n\nid: 1\ndata: {\ndata: }\n\ndata: next\r\n\r\ndata: cut off"
    assert list(EventSplitter().feed(stream)) == [
        ServerSentEvent("1", "{\n}"),
        ServerSentEvent("", "next"),
    ]


@pytest.mark.parametrize("piece", [b"x", b"data: x", b"data: x\n", b"data:\n"])
def test_an_event_without_end_is_cut(piece: bytes) -> None:
    splitter = EventSplitter(max_bytes=1_000)
    events = (event for _ in range(2_000) for event in splitter.feed(piece))
    with pytest.raises(TooLongError):
        list(events)
