from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.model.waits import (
    MAX_SHOWN,
    Interval,
    PauseSignal,
    Waits,
    length_ns,
    merged,
    waits_of,
)

signals = st.lists(
    st.builds(
        PauseSignal,
        time_ns=st.integers(0, 50),
        is_pause=st.booleans(),
        name=st.sampled_from(["approve", "choose"]),
    ),
    max_size=12,
)


def pause(time_ns: int, name: str = "approve") -> PauseSignal:
    return PauseSignal(time_ns, True, name)


def resume(time_ns: int, name: str = "approve") -> PauseSignal:
    return PauseSignal(time_ns, False, name)


def test_a_pause_lasts_until_its_own_signal() -> None:
    pauses = [pause(10), pause(12, "choose"), resume(15, "choose"), resume(30)]
    waits = waits_of(pauses)
    assert waits == Waits(((10, 30),))
    assert (waits.count, waits.wait_ns, waits.since_ns) == (1, 20, None)


def test_waits_apart_from_each_other_are_counted_and_summed() -> None:
    waits = waits_of([pause(10), resume(12), pause(20), resume(25)])
    assert (waits.count, waits.wait_ns, waits.intervals) == (2, 7, ((10, 12), (20, 25)))


def test_a_pause_that_is_not_over_says_since_when() -> None:
    waits = waits_of([pause(1), resume(4), pause(10), pause(12, "choose"), resume(15, "choose")])
    assert (waits.count, waits.wait_ns, waits.since_ns) == (2, 3, 10)


def test_a_pause_ends_with_the_span_it_sits_on() -> None:
    assert waits_of([pause(10)], end_ns=25) == Waits(((10, 25),))
    assert waits_of([pause(10), resume(40)], end_ns=25) == Waits(((10, 25),))


def test_a_span_that_ended_before_its_pause_did_not_wait() -> None:
    assert waits_of([pause(10), pause(11, "choose"), resume(12, "choose")], end_ns=5) == Waits()


def test_what_is_reported_twice_counts_once() -> None:
    signals_sent = [pause(10), resume(20), pause(20), resume(25)]
    assert waits_of([*signals_sent, *signals_sent]) == waits_of(signals_sent)


def test_of_many_waits_the_last_that_is_shown_is_up_to_the_end_of_all() -> None:
    many = [one for n in range(30) for one in (pause(10 * n), resume(10 * n + 5))]
    waits = waits_of([*many, pause(300)])
    assert len(waits.shown) == MAX_SHOWN
    assert waits.shown[-2:] == ((140, 145), (150, None))
    assert (waits.count, waits.wait_ns, waits.since_ns) == (31, 150, 300)
    assert waits_of(many).shown[-1] == (150, 295)


def test_a_resumption_without_a_pause_is_nothing() -> None:
    assert waits_of([resume(10)]) == Waits()


@given(signals, st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(found: list[PauseSignal], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(found)
    random.shuffle(shuffled)
    assert waits_of(shuffled) == waits_of(found)


@given(signals)
def test_waiting_is_never_negative_nor_counted_without_a_pause(found: list[PauseSignal]) -> None:
    waits = waits_of(found)
    assert waits.wait_ns >= 0
    assert waits.count <= sum(signal.is_pause for signal in found)


def test_waits_at_times_that_no_clock_shows_stay_within_what_can_be_summed() -> None:
    ends = [pause(0, "a"), resume(2**63 - 1, "a"), pause(0, "b"), resume(2**63 - 1, "b")]
    assert waits_of(ends).wait_ns * 100 < 2**63


intervals = st.lists(
    st.tuples(st.integers(0, 30), st.none() | st.integers(0, 12)).map(
        lambda drawn: (drawn[0], None if drawn[1] is None else drawn[0] + drawn[1])
    ),
    max_size=10,
)


@given(intervals)
def test_merged_intervals_cover_the_same_instants_and_lie_apart(found: list[Interval]) -> None:
    apart = merged(found)
    assert _instants(apart) == _instants(found)
    for (_, end), (start, _) in itertools.pairwise(apart):
        assert end is not None
        assert end < start
    if all(end is not None for _, end in found):
        assert length_ns(apart) == len(_instants(apart))


def _instants(found: list[Interval]) -> set[int]:
    return {n for start, end in found for n in range(start, 99 if end is None else end)}
