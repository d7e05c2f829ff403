"""The cache of answers."""

from __future__ import annotations

import threading

from inspector.service.http.cache import ResponseCache


def ask(
    cache: ResponseCache[str], answer: str, *, key: str = "key", version: int = 1, weight: int = 1
) -> str:
    return cache.answer(key, version, lambda: (answer, weight))


def test_an_answer_holds_while_nothing_changes() -> None:
    cache: ResponseCache[str] = ResponseCache(10)
    assert ask(cache, "first") == "first"
    assert ask(cache, "second") == "first"
    assert ask(cache, "another", key="other") == "another"


def test_another_version_ends_it_and_takes_its_place() -> None:
    cache: ResponseCache[str] = ResponseCache(10)
    ask(cache, "first", weight=6)
    assert ask(cache, "second", version=2, weight=6) == "second"
    assert ask(cache, "third", version=2) == "second"


def test_the_answers_used_last_are_cached_up_to_a_weight() -> None:
    cache: ResponseCache[str] = ResponseCache(10)
    ask(cache, "a", key="a", weight=5)
    ask(cache, "b", key="b", weight=5)
    ask(cache, "a again", key="a")
    ask(cache, "c", key="c", weight=5)
    assert ask(cache, "worked out", key="a") == "a"
    assert ask(cache, "worked out", key="b") == "worked out"


def test_what_is_too_heavy_is_answered_and_leaves_the_others_where_they_are() -> None:
    cache: ResponseCache[str] = ResponseCache(10)
    ask(cache, "light", key="light")
    assert ask(cache, "first", weight=11) == "first"
    assert ask(cache, "second", weight=11) == "second"
    assert ask(cache, "worked out", key="light") == "light"


def test_all_is_let_go_when_nobody_asks() -> None:
    cache: ResponseCache[object] = ResponseCache(10, idle_s=0.01)
    of_others = set(threading.enumerate())
    cache.answer("key", 1, lambda: (object(), 1))
    for timer in set(threading.enumerate()) - of_others:
        timer.join(10)
    fresh = object()
    assert cache.answer("key", 1, lambda: (fresh, 1)) is fresh


def test_answers_without_weight_are_bounded_in_number() -> None:
    cache = ResponseCache[str](2)
    for key in range(5):
        cache.answer(key, 1, lambda: ("", 0))
    assert [key for key in range(5) if cache.last(key) is not None] == [3, 4]
    cache.clear()
