"""Server-sent events, however they are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.agent_side.control.sse import EventSplitter, TooLongError

LINES = st.sampled_from(
    ["data: a", "data:b", "data", "data: ü☃", ": alive", "id: 7", "event: x", "", "", "nonsense"]
)
STREAMS = st.tuples(st.lists(LINES), st.sampled_from(["\n", "\r\n"])).map(
    lambda made: "".join(line + made[1] for line in made[0]).encode()
)


@given(STREAMS, st.lists(st.integers(0, 200)))
def test_where_a_stream_is_cut_makes_no_difference(stream: bytes, cuts: list[int]) -> None:
    whole = list(EventSplitter().feed(stream))
    splitter, found = EventSplitter(), list[str]()
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    for start, end in pairwise(edges):
        found.extend(splitter.feed(stream[start:end]))
    assert found == whole


@given(st.lists(st.binary(max_size=50), max_size=50))
def test_anything_is_taken_or_too_long(pieces: list[bytes]) -> None:
    splitter = EventSplitter(max_bytes=100)
    try:
        texts = [text for piece in pieces for text in splitter.feed(piece)]
    except TooLongError:
        return
    assert all(len(text) <= 100 for text in texts)


def test_the_lines_of_an_event_are_one_text_and_comments_are_none() -> None:
    stream = b": hi\n\nid: 1\ndata: {\ndata: }\n\ndata: next\r\n\r\ndata: cut off"
    assert list(EventSplitter().feed(stream)) == ["{\n}", "next"]


@pytest.mark.parametrize("piece", [b"x", b"data: x", b"data: x\n", b"data:\n"])
def test_an_event_without_end_is_cut(piece: bytes) -> None:
    splitter = EventSplitter(max_bytes=1_000)
    fed = (text for _ in range(2_000) for text in splitter.feed(piece))
    with pytest.raises(TooLongError):
        list(fed)
