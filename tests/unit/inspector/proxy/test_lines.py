from hypothesis import given
from hypothesis import strategies as st

from inspector.proxy.lines import LineSplitter

CHUNKS = st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\x01", b"\n")))


@given(CHUNKS)
def test_lines_are_those_of_the_whole_however_it_was_cut(chunks: list[bytes]) -> None:
    lines = LineSplitter()
    found = [line for chunk in chunks for line in lines.feed(chunk)]
    whole = b"".join(chunks).split(b"\n")
    assert [*found, *lines.rest()] == (whole if whole[-1] else whole[:-1])


@given(CHUNKS)
def test_a_line_that_is_too_long_yields_only_its_length(chunks: list[bytes]) -> None:
    lines = LineSplitter(max_bytes=5)
    found = [line for chunk in chunks for line in lines.feed(chunk)]
    whole = b"".join(chunks).split(b"\n")[:-1]
    assert found == [line if len(line) <= 5 else len(line) for line in whole]


def test_after_a_gap_a_line_begins_at_the_next_end() -> None:
    lines = LineSplitter()
    assert list(lines.feed(b'{"a":')) == []
    lines.lose()
    assert list(lines.feed(b'2}\n{"b":3}\n')) == [b'{"b":3}']
