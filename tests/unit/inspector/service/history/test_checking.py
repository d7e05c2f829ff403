"""What is lost is reported until all sessions that have left were looked at again."""

from __future__ import annotations

from inspector.service.history.checking import _Round


def test_a_loss_is_reported_until_a_whole_round_finds_none() -> None:
    round_ = _Round()
    round_.note({"2026-01-01"}, is_rowless=True, is_last=False)
    assert (round_.lost, round_.is_rowless, round_.is_done) == ({"2026-01-01"}, True, False)
    round_.note({"2026-01-02"}, is_rowless=False, is_last=True)
    assert (round_.lost, round_.is_done) == ({"2026-01-01", "2026-01-02"}, True)
    round_.note({"2026-01-02"}, is_rowless=False, is_last=True)
    assert (round_.lost, round_.is_rowless) == ({"2026-01-02"}, False)
    round_.note(set(), is_rowless=False, is_last=False)
    assert round_.lost == {"2026-01-02"}
    round_.note(set(), is_rowless=False, is_last=True)
    assert round_.lost == set()


def test_what_a_round_found_that_began_anew_is_found_again_or_forgotten() -> None:
    round_ = _Round()
    round_.note({"2026-01-01"}, is_rowless=True, is_last=False)
    round_.begin()
    assert (round_.lost, round_.is_rowless, round_.is_done) == ({"2026-01-01"}, False, False)
    round_.note(set(), is_rowless=False, is_last=True)
    assert (round_.lost, round_.is_done) == (set(), True)
