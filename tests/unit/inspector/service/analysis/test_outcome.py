"""What failed first, and which causes are alike."""

from __future__ import annotations

import pytest

from inspector.service.analysis.outcome import by_cause, cause_key, pattern_of
from inspector.service.model.records import SpanRecord
from inspector.service.model.rows import SpanKind, SpanStatus


def failed(
    span_id: str, parent_id: str | None, end_ns: int, *, is_root: bool = False
) -> SpanRecord:
    return SpanRecord(
        "t", span_id, "S", 0, parent_id, span_id, SpanKind.TOOL, SpanStatus.ERROR, 0, end_ns,
        is_root, "p",
    )  # fmt: skip


def test_a_failure_that_reached_the_root_is_read_before_one_that_was_caught() -> None:
    caught, fatal = failed("caught", "step", 1), failed("fatal", "agent", 5)
    above = [failed("agent", "root", 6), failed("root", None, 7, is_root=True)]
    assert by_cause([*reversed(above), caught, fatal]) == [fatal, caught, *above]
    assert by_cause([failed("later", "step", 3), caught])[0] is caught


def test_failures_that_are_their_own_ancestors_still_have_a_cause() -> None:
    one, other = failed("one", "other", 2), failed("other", "one", 1)
    assert by_cause([one, other]) == [other, one]
    assert by_cause([]) == []


@pytest.mark.parametrize(
    ("one", "other", "pattern"),
    [
        (
            "fetch: 504 from mirror after 3.5 s",
            "fetch: 504 from mirror after 12 s",
            "fetch: 504 from mirror after <n>",
        ),
        (
            "open: No such file: '/srv/a/1.txt'",
            "open: No such file: '/srv/b/c/2.txt'",
            "open: No such file: '<path>'",
        ),
        (
            "get: user 9f8b1c2d-0000-4000-8000-00000000000a is unknown",
            "get: user 11111111-2222-4333-8444-555555555555 is unknown",
            "get: user <id> is unknown",
        ),
        (
            "load: commit 1a2b3c4d5e at 0xff of https://a.example/1?x=2",
            "load: commit 99aa88bb77 at 0x01 of http://b.example/",
            "load: commit <id> at <id> of <url>",
        ),
        (
            "chat gpt-4o: rate limit, try at 2026-11-24T20:30:01.5Z (request req_011CQabcdef12345)",
            "chat gpt-4o: rate limit, try at 2026-11-25T01:02:03Z (request req_99ZZabcdef12345a)",
            "chat gpt-4o: rate limit, try at <time> (request <id>)",
        ),
        (
            "connect: reset by 10.0.0.81:5432 after 1m 30s",
            "connect: reset by 192.168.3.17:443 after 2m 5s",
            "connect: reset by <ip> after <n> <n>",
        ),
        (
            "connect: no route to 2001:db8::1f from ::1",
            "connect: no route to fe80::1:2:3 from ::",
            "connect: no route to <ip> from <ip>",
        ),
        (
            "send: ada@mail.example is unknown to version 1.2.3",
            "send: bob.b+x@other.example is unknown to version 1.10",
            "send: <mail> is unknown to version <n>",
        ),
    ],
)
def test_causes_that_differ_in_ids_numbers_and_paths_are_alike(
    one: str, other: str, pattern: str
) -> None:
    assert pattern_of(one) == pattern_of(other) == pattern
    assert cause_key(one) == cause_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fetch: 504 from mirror", "fetch: 503 from mirror"),
        ("fetch: 504 from mirror", "search: 504 from mirror"),
        ("search_v1: failed", "search_v2: failed"),
        ("fetch: refused", "fetch: timed out"),
    ],
)
def test_other_causes_are_apart(one: str, other: str) -> None:
    assert cause_key(one) != cause_key(other)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["/a", "1", "a-", "-a", "f-", "a/", "1 ", "a.b/"])
def test_the_time_for_a_text_grows_as_its_length(part: str) -> None:
    """Quadratic growth runs into the time limit of a test, by far."""
    text = part * (200_000 // len(part))
    assert pattern_of(f"x: {text}").startswith("x: ")
