"""Deterministic interleaving of two threads, line by line."""

import sys
from collections.abc import Callable
from itertools import count
from threading import Thread
from types import FrameType
from typing import Any


def interrupted_at_each_line(
    of: Callable[..., Any], work: Callable[[], None], other: Callable[[], None]
) -> int:
    """Run `work` again and again, and `other` on another thread before a later line of `of`.

    Returns:
        How often: once for each line of `of` that `work` comes to, in order.
    """
    for line in count():
        if not _interrupted(of, work, other, line):
            return line
    raise AssertionError("unreachable")


def _interrupted(
    of: Callable[..., Any], work: Callable[[], None], other: Callable[[], None], line: int
) -> bool:
    seen = count()
    has_run = False

    def in_frame(_: FrameType, event: str, __: Any) -> Any:
        nonlocal has_run
        if event == "line" and next(seen) == line:
            thread = Thread(target=other)
            thread.start()
            thread.join(5)
            has_run = not thread.is_alive()
        return in_frame

    def in_any(frame: FrameType, _: str, __: Any) -> Any:
        return in_frame if frame.f_code is of.__code__ else None

    before = sys.gettrace()
    sys.settrace(in_any)
    try:
        work()
    finally:
        sys.settrace(before)
    return has_run
