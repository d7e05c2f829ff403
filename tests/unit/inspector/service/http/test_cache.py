"""Answers that are kept until what they depend on is another."""

from __future__ import annotations

import threading

from inspector.service.http.cache import ResponseCache


def ask(
    kept: ResponseCache[str], said: str, *, key: str = "key", version: int = 1, weight: int = 1
) -> str:
    return kept.answer(key, version, lambda: (said, weight))


def test_an_answer_holds_while_nothing_changes() -> None:
    kept: ResponseCache[str] = ResponseCache(10)
    assert ask(kept, "first") == "first"
    assert ask(kept, "second") == "first"
    assert ask(kept, "another", key="other") == "another"


def test_another_version_ends_it_and_takes_its_place() -> None:
    kept: ResponseCache[str] = ResponseCache(10)
    ask(kept, "first", weight=6)
    assert ask(kept, "second", version=2, weight=6) == "second"
    assert ask(kept, "third", version=2) == "second"


def test_the_answers_used_last_are_kept_up_to_a_weight() -> None:
    kept: ResponseCache[str] = ResponseCache(10)
    ask(kept, "a", key="a", weight=5)
    ask(kept, "b", key="b", weight=5)
    ask(kept, "a again", key="a")
    ask(kept, "c", key="c", weight=5)
    assert ask(kept, "worked out", key="a") == "a"
    assert ask(kept, "worked out", key="b") == "worked out"


def test_what_is_too_heavy_is_answered_and_leaves_the_others_where_they_are() -> None:
    kept: ResponseCache[str] = ResponseCache(10)
    ask(kept, "light", key="light")
    assert ask(kept, "first", weight=11) == "first"
    assert ask(kept, "second", weight=11) == "second"
    assert ask(kept, "worked out", key="light") == "light"


def test_all_is_let_go_when_nobody_asks() -> None:
    kept: ResponseCache[object] = ResponseCache(10, idle_s=0.01)
    of_others = set(threading.enumerate())
    kept.answer("key", 1, lambda: (object(), 1))
    for timer in set(threading.enumerate()) - of_others:
        timer.join(10)
    fresh = object()
    assert kept.answer("key", 1, lambda: (fresh, 1)) is fresh
