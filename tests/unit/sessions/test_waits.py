from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.sessions import PauseSignal, Waits, waits_of

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
    assert waits_of(pauses) == Waits(count=2, wait_ns=20 + 3, since_ns=None)


def test_a_pause_that_is_not_over_says_since_when() -> None:
    assert waits_of([pause(10), pause(12, "choose")]) == Waits(2, 0, 10)


def test_a_pause_ends_with_the_span_it_sits_on() -> None:
    assert waits_of([pause(10)], end_ns=25) == Waits(1, 15, None)


def test_a_span_that_ended_before_its_pause_waited_for_nothing() -> None:
    assert waits_of([pause(10)], end_ns=5) == Waits(1, 0, None)


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


def test_waits_at_times_that_no_clock_tells_stay_within_what_can_be_summed() -> None:
    ends = [pause(0, "a"), resume(2**63 - 1, "a"), pause(0, "b"), resume(2**63 - 1, "b")]
    assert waits_of(ends).wait_ns * 100 < 2**63
