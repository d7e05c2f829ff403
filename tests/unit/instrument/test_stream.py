"""Streamed results: where the context is in force, and what is measured."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextvars import ContextVar
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument import Bus, StreamStats
from instrument.testing import capture_hook

ambient: ContextVar[str] = ContextVar("ambient", default="outside")
no_default: ContextVar[str] = ContextVar("no_default")


def trace(bus: Bus) -> None:
    """Keep a context variable of our own, as a tracer does: set back only where still ours."""
    outer: dict[str, str] = {}

    def enter(**kwargs: Any) -> None:
        outer[kwargs["call_id"]] = ambient.get()
        ambient.set(kwargs["call_id"])

    def leave(**kwargs: Any) -> None:
        before = outer.pop(kwargs["call_id"])
        if ambient.get() == kwargs["call_id"]:
            ambient.set(before)

    bus.register("operation_opened", enter)
    bus.register("operation_closed", leave)


@pytest.fixture
def tracing(bus: Bus) -> Bus:
    trace(bus)
    return bus


def parent_of(bus: Bus) -> str | None:
    with bus.operation("tool_call") as op:
        return op.parent_call_id


async def test_a_stream_passes_every_piece_on_in_order(bus: Bus) -> None:
    bus.observe_all(lambda name, /, **_: None)

    async def source() -> AsyncIterator[int]:
        for number in range(3):
            yield number

    async with bus.operation("llm_generate") as op:
        assert [piece async for piece in op.stream(source())] == [0, 1, 2]
        assert list(op.stream("abc")) == ["a", "b", "c"]


async def test_the_operation_is_current_inside_a_step_and_not_between(tracing: Bus) -> None:
    inside: list[tuple[str | None, str]] = []
    calls: list[str] = []

    async def source() -> AsyncIterator[int]:
        for number in range(3):
            await asyncio.sleep(0)
            inside.append((parent_of(tracing), ambient.get()))
            yield number

    async def generate() -> AsyncIterator[int]:
        async with tracing.operation("llm_generate") as op:
            calls.append(op.call_id)
            async for piece in op.stream(source()):
                yield piece
            inside.append((parent_of(tracing), ambient.get()))

    async with tracing.operation("agent_call") as agent:
        async for _ in generate():
            assert (parent_of(tracing), ambient.get()) == (agent.call_id, agent.call_id)
        assert (parent_of(tracing), ambient.get()) == (agent.call_id, agent.call_id)

    (call_id,) = calls
    assert inside == [(call_id, call_id)] * 4


def test_a_sync_generator_keeps_its_context_to_itself_too(tracing: Bus) -> None:
    inside: list[str | None] = []

    def source() -> Iterator[int]:
        for number in range(3):
            inside.append(parent_of(tracing))
            yield number

    def generate() -> Iterator[int]:
        with tracing.operation("llm_generate") as op:
            yield from op.stream(source())
            inside.append(parent_of(tracing))

    between = [(parent_of(tracing), ambient.get()) for _ in generate()]

    assert between == [(None, "outside")] * 3
    assert (parent_of(tracing), ambient.get()) == (None, "outside")
    assert None not in inside
    assert len(set(inside)) == 1


async def test_a_consumer_that_begins_an_operation_between_steps_keeps_it(tracing: Bus) -> None:
    async def generate() -> AsyncIterator[int]:
        async with tracing.operation("llm_generate") as op:
            async for piece in op.stream(iterate()):
                yield piece

    async def iterate() -> AsyncIterator[int]:
        yield 1
        yield 2

    generator = generate()
    await anext(generator)
    async with tracing.operation("workflow_run") as mine:
        await anext(generator)
        assert parent_of(tracing) == mine.call_id
        with pytest.raises(StopAsyncIteration):
            await anext(generator)
        assert parent_of(tracing) == mine.call_id
    assert parent_of(tracing) is None


async def test_a_source_finds_its_own_context_again_at_the_next_step(tracing: Bus) -> None:
    seen: list[str] = []

    async def source() -> AsyncIterator[int]:
        token = ambient.set("set by the source")
        yield 1
        seen.append(ambient.get())
        ambient.reset(token)
        yield 2

    async with tracing.operation("llm_generate") as op:
        async for _ in op.stream(source()):
            assert ambient.get() == "outside"
        assert ambient.get() == op.call_id

    assert seen == ["set by the source"]


async def test_a_variable_that_cannot_be_unset_is_left_alone(bus: Bus) -> None:
    bus.register("before_llm_generate", lambda **_: no_default.set("by an observer"))

    async with bus.operation("llm_generate") as op:
        assert [no_default.get("") for _ in op.stream([1, 2])] == ["by an observer"] * 2


async def test_an_error_of_the_source_arrives_inside_the_operation(tracing: Bus) -> None:
    async def source() -> AsyncIterator[int]:
        yield 1
        raise ConnectionError

    async with tracing.operation("llm_generate") as op:
        with pytest.raises(ConnectionError):
            async for _ in op.stream(source()):
                pass
        assert parent_of(tracing) == op.call_id


async def test_a_stream_left_early_ends_with_its_operation(tracing: Bus) -> None:
    with capture_hook("operation_closed", bus=tracing) as closings:

        async def generate() -> AsyncGenerator[int, None]:
            async with tracing.operation("llm_generate") as op:
                async for piece in op.stream(iterate()):
                    yield piece

        async def iterate() -> AsyncIterator[int]:
            yield 1
            yield 2

        generator = generate()
        await anext(generator)

        async def close() -> None:
            await generator.aclose()

        async with asyncio.timeout(5):
            await asyncio.create_task(close())

    ((_, closed),) = closings
    assert closed["status"] == "cancelled"
    assert closed["stream"].chunk_count == 1
    assert parent_of(tracing) is None
    assert ambient.get() == "outside"


class Endless:
    """An async iterator that cannot be closed."""

    def __aiter__(self) -> AsyncIterator[int]:
        return self

    async def __anext__(self) -> int:
        return 1


async def test_closing_a_stream_closes_its_source(bus: Bus) -> None:
    closed: list[str] = []

    async def async_source() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            closed.append("async")

    def sync_source() -> Iterator[int]:
        try:
            yield 1
        finally:
            closed.append("sync")

    async with bus.operation("llm_generate") as op:
        async_stream = op.stream(async_source())
        await anext(async_stream)
        await async_stream.aclose()
        sync_stream = op.stream(sync_source())
        next(sync_stream)
        sync_stream.close()
        op.stream([1]).close()
        await op.stream(Endless()).aclose()

    assert closed == ["async", "sync"]


async def test_the_closing_event_says_how_the_stream_arrived(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = 0

    def clock() -> int:
        return now_ns

    monkeypatch.setattr("instrument.operations.perf_counter_ns", clock)
    monkeypatch.setattr("instrument.stream.perf_counter_ns", clock)

    async def source() -> AsyncIterator[int]:
        nonlocal now_ns
        for took_ns in (100, 20, 70, 5):
            now_ns += took_ns
            yield took_ns

    with capture_hook("operation_closed", bus=bus) as closings:
        async with bus.operation("llm_generate") as op:
            now_ns += 1000
            async for _ in op.stream(source()):
                now_ns += 5000  # the consumer's own time is no stall

    ((_, closed),) = closings
    assert closed["stream"] == StreamStats(
        chunk_count=4,
        token_count=None,
        first_chunk_ns=1100,
        longest_stall_ns=70,
        longest_stall_at_ns=11_120,
    )


def test_pieces_counted_by_hand_are_measured_from_one_to_the_next(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([0, 10, 40, 45])
    monkeypatch.setattr("instrument.operations.perf_counter_ns", lambda: next(times))
    monkeypatch.setattr("instrument.stream.perf_counter_ns", lambda: next(times))

    with (
        capture_hook("operation_closed", bus=bus) as closings,
        bus.operation("llm_generate") as op,
    ):
        op.chunk(tokens=2)
        op.chunk()
        op.chunk(tokens=3)

    ((_, closed),) = closings
    assert closed["stream"] == StreamStats(
        chunk_count=3, token_count=5, first_chunk_ns=10, longest_stall_ns=30, longest_stall_at_ns=10
    )


async def test_a_piece_of_a_stream_is_counted_and_is_no_event(bus: Bus) -> None:
    names: list[str] = []
    bus.observe_all(lambda name, /, **_: names.append(name))

    async with bus.operation("llm_generate") as op:
        assert len(list(op.stream(range(1000)))) == 1000
        op.chunk()

    assert names == [
        "operation_opened",
        "before_llm_generate",
        "after_llm_generate",
        "operation_closed",
    ]


async def test_a_stream_without_pieces_has_no_figures(bus: Bus) -> None:
    with capture_hook("operation_closed", bus=bus) as closings:
        async with bus.operation("llm_generate") as op:
            assert list(op.stream([])) == []

    ((_, closed),) = closings
    assert closed["stream"] is None


@given(st.lists(st.booleans(), min_size=1, max_size=20))
def test_interleaved_streams_never_mix_their_contexts(turns: list[bool]) -> None:
    bus = Bus()
    trace(bus)
    inside: list[tuple[str | None, str, str]] = []

    def source(call_id: str) -> Iterator[None]:
        while True:
            inside.append((parent_of(bus), ambient.get(), call_id))
            yield

    def generate() -> Generator[None, None, None]:
        with bus.operation("llm_generate") as op:
            yield from op.stream(source(op.call_id))

    streams = [generate(), generate()]
    for turn in turns:
        next(streams[turn])
        assert (parent_of(bus), ambient.get()) == (None, "outside")
    for stream in streams:
        stream.close()

    assert all(parent == seen == call_id for parent, seen, call_id in inside)
    assert (parent_of(bus), ambient.get()) == (None, "outside")


async def test_chunks_are_observed_with_their_texts_while_the_operation_runs(bus: Bus) -> None:
    seen: list[tuple[str, str]] = []
    off = bus.observe_chunks(lambda call_id, text: seen.append((call_id, text)))
    bus.observe_all(lambda name, /, **_: None)

    async def source() -> AsyncIterator[dict[str, Any]]:
        yield {"text": "Good "}
        yield {"tool": "search"}
        yield {"text": 7}
        yield {"text": "morning"}

    async with bus.operation("llm_generate", llm="m") as op:
        pieces = [one async for one in op.stream(source(), text_of=lambda one: one["text"])]
        op.chunk(text=".")
        op.chunk()
        off()
        op.chunk(text="unheard")
    assert len(pieces) == 4
    assert {call_id for call_id, _ in seen} == {op.call_id}
    assert [text for _, text in seen] == ["Good ", "", "", "morning", ".", ""]


def test_an_observer_of_chunks_that_fails_changes_nothing_and_is_logged_once(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(call_id: str, text: str) -> None:
        raise RuntimeError(text)

    seen: list[str] = []
    bus.observe_chunks(broken)
    bus.observe_chunks(lambda call_id, text: seen.append(text))
    bus.observe_all(lambda name, /, **_: None)
    with bus.operation("llm_generate", llm="m") as op:
        assert list(op.stream("abc", text_of=str)) == ["a", "b", "c"]
    assert seen == ["a", "b", "c"]
    assert [record.message for record in caplog.records if "chunk" in record.message] == [
        f"{__name__}.{broken.__qualname__} failed on a chunk of a stream"
    ]
