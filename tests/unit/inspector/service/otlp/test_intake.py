"""Turns of threads that decode and commit."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from inspector.service.otlp import intake as intake_module
from inspector.service.otlp.intake import Intake


def test_who_takes_long_is_waited_for_once_and_who_comes_later_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(intake_module, "PATIENCE_S", 0.02)
    intake, is_in, is_over = Intake(), threading.Event(), threading.Event()

    def decode() -> bool:
        is_in.set()
        return is_over.wait(10)

    with ThreadPoolExecutor(1) as threads, intake.coming():
        decoded = threads.submit(intake.in_turn, decode)
        assert is_in.wait(10)
        for _ in range(1_000):  # each time it would be 40 s, and the decoding given up
            intake.wait()
            assert intake.in_turn(lambda: True)
        is_over.set()
        assert decoded.result()
        monkeypatch.setattr(intake_module, "PATIENCE_S", 10)
        has_run = threading.Event()
        with ThreadPoolExecutor(1) as others:

            def decode_first() -> bool:
                others.submit(intake.in_turn, has_run.set)
                return has_run.wait(0.1)

            assert not intake.in_turn(decode_first)
