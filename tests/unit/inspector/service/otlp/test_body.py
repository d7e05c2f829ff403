import gzip
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable
from itertools import count
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import BadDataError, TooLargeError
from inspector.service.otlp import body as body_module
from inspector.service.otlp.body import MAX_BODY_BYTES, MAX_MEMBERS, decompress

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

JOINABLE: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "zstd": zstd.compress}


@given(st.binary(max_size=5_000))
def test_every_coding_gives_back_what_went_in(body: bytes) -> None:
    assert decompress(body, "") == body
    assert decompress(body, "identity") == body
    assert decompress(gzip.compress(body), "gzip") == body
    assert decompress(zlib.compress(body), "deflate") == body
    assert decompress(_raw_deflate(body), "deflate") == body
    assert decompress(zstd.compress(body), "zstd") == body


@given(st.binary(max_size=2_000), st.sampled_from(["gzip", "deflate", "zstd"]))
def test_any_bytes_are_decompressed_or_refused(body: bytes, coding: str) -> None:
    try:
        decompress(body, coding)
    except BadDataError:
        return


@pytest.mark.parametrize("coding", JOINABLE)
@given(parts=st.lists(st.binary(max_size=500), min_size=1, max_size=20), piece=st.integers(1, 60))
def test_joined_members_are_one_body(coding: str, parts: list[bytes], piece: int) -> None:
    packed = b"".join(JOINABLE[coding](part) for part in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(body_module, "_PIECE_BYTES", piece)
        assert decompress(packed, coding) == b"".join(parts)


@pytest.mark.parametrize("coding", JOINABLE)
def test_empty_members_are_refused_in_the_time_that_they_are_worth(coding: str) -> None:
    empty = JOINABLE[coding](b"")
    body = empty * (MAX_BODY_BYTES // len(empty))
    began = time.thread_time()
    with pytest.raises(TooLargeError, match="compressed streams"):
        decompress(body, coding)
    assert time.thread_time() - began < 2
    assert decompress(empty * MAX_MEMBERS, coding) == b""


def test_a_body_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    body = zlib.compress(b"something to say" * 20)
    monkeypatch.setattr(body_module, "_PIECE_BYTES", len(body) // 4)
    monkeypatch.setattr(body_module, "MAX_DECOMPRESSION_S", 3)
    monkeypatch.setattr(body_module, "time", SimpleNamespace(thread_time=count().__next__))
    with pytest.raises(TooLargeError, match="too long"):
        decompress(body, "deflate")


@pytest.mark.parametrize("coding", JOINABLE)
@pytest.mark.parametrize("cut", [1, 5, 12, -1])
def test_a_body_that_ends_too_early_is_refused(coding: str, cut: int) -> None:
    with pytest.raises(BadDataError):
        decompress(JOINABLE[coding](b"something to say" * 20)[:cut], coding)


@pytest.mark.parametrize("coding", [*JOINABLE, "deflate"])
def test_bytes_after_the_end_are_refused(coding: str) -> None:
    pack = JOINABLE.get(coding, zlib.compress)
    with pytest.raises(BadDataError):
        decompress(pack(b"one") + b"more", coding)


def test_a_zstd_frame_does_not_say_how_much_memory_it_gets() -> None:
    options: dict[int, int] = {
        zstd.CompressionParameter.window_log: 27,
        zstd.CompressionParameter.content_size_flag: 0,
    }
    compressor = zstd.ZstdCompressor(options=options)
    body = compressor.compress(b"a") + compressor.flush()
    with pytest.raises(BadDataError, match="memory"):
        decompress(body, "zstd")


def test_a_body_at_the_limit_is_accepted_and_one_above_it_is_not() -> None:
    for coding, pack in JOINABLE.items():
        assert len(decompress(pack(bytes(1000)), coding, limit_bytes=1000)) == 1000
    packed = [(pack(bytes(1001)), coding) for coding, pack in JOINABLE.items()]
    for body, coding in [*packed, (bytes(1001), "")]:
        with pytest.raises(TooLargeError):
            decompress(body, coding, limit_bytes=1000)


@pytest.mark.slow
@pytest.mark.parametrize("coding", JOINABLE)
def test_a_bomb_costs_no_more_memory_than_the_limit(coding: str) -> None:
    bomb = JOINABLE[coding](bytes(2 * MAX_BODY_BYTES))
    tracemalloc.start()
    with pytest.raises(TooLargeError):
        decompress(bomb, coding)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 2.5 * MAX_BODY_BYTES


def _raw_deflate(body: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(body) + compressor.flush()
