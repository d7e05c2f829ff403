import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import BadDataError, TooLargeError
from inspector.otlp.body import MAX_BODY_BYTES, decompress


@given(st.binary(max_size=5_000))
def test_every_coding_gives_back_what_went_in(body: bytes) -> None:
    assert decompress(body, "") == body
    assert decompress(body, "identity") == body
    assert decompress(gzip.compress(body), "gzip") == body
    assert decompress(zlib.compress(body), "deflate") == body
    assert decompress(_raw_deflate(body), "deflate") == body


@given(st.binary(max_size=2_000), st.sampled_from(["gzip", "deflate"]))
def test_any_bytes_are_decompressed_or_refused(body: bytes, coding: str) -> None:
    try:
        decompress(body, coding)
    except BadDataError:
        return


def test_joined_gzip_members_are_one_body() -> None:
    assert decompress(gzip.compress(b"one") + gzip.compress(b"two"), "gzip") == b"onetwo"


@pytest.mark.parametrize("cut", [1, 5, 12, -1])
def test_a_body_that_ends_too_early_is_refused(cut: int) -> None:
    with pytest.raises(BadDataError):
        decompress(gzip.compress(b"something to say" * 20)[:cut], "gzip")


def test_bytes_after_the_end_are_refused() -> None:
    with pytest.raises(BadDataError):
        decompress(zlib.compress(b"one") + b"more", "deflate")


def test_a_body_at_the_limit_is_taken_and_one_above_it_is_not() -> None:
    assert len(decompress(gzip.compress(bytes(1000)), "gzip", limit_bytes=1000)) == 1000
    for body, coding in [(gzip.compress(bytes(1001)), "gzip"), (bytes(1001), "")]:
        with pytest.raises(TooLargeError):
            decompress(body, coding, limit_bytes=1000)


def test_a_gzip_bomb_costs_no_more_memory_than_the_limit() -> None:
    bomb = gzip.compress(bytes(8 * MAX_BODY_BYTES), 9)
    tracemalloc.start()
    with pytest.raises(TooLargeError):
        decompress(bomb, "gzip")
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 2.5 * MAX_BODY_BYTES


def _raw_deflate(body: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(body) + compressor.flush()
