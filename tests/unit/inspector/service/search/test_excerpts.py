"""Excerpts around the words of a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.query import QueryScope, parse_query
from inspector.service.query.words import fold, has_words
from inspector.service.search.excerpts import MAX_MATCH_CHARS, MOST, Excerpt, excerpts

NOW_NS = 1_767_225_600_000_000_000
_TIMEOUT = parse_query("timeout", QueryScope.SPAN, NOW_NS)


def found(query: str, *texts: str) -> list[Excerpt]:
    placed = [(f"a{number}", text) for number, text in enumerate(texts)]
    return excerpts(placed, parse_query(query, QueryScope.SPAN, NOW_NS))


@pytest.mark.parametrize(
    ("query", "text", "match"),
    [
        ('"merge conflict"', "there is a Merge-Conflict in it", "Merge-Conflict"),
        ("confl*", "no conflicts", "confl"),
        ("cafe", "Das Café war zu", "Café"),
        ("strasse", "In der STRAẞE 3", "STRAẞE"),
        ("会議", "明日の会議です", "会議"),
        ('"app py"', "src/app.py:3", "app.py"),
    ],
)
def test_words_are_found_as_they_stand(query: str, text: str, match: str) -> None:
    [one] = found(query, text)
    assert one.match == match
    assert one.before + one.match + one.after == text


def test_what_is_around_is_short_and_says_that_there_is_more() -> None:
    [one] = found("needle", "x " * 500 + "needle" + " y" * 500)
    assert one.before.startswith("…")
    assert one.after.endswith("…")
    assert len(one.before) + len(one.after) < 200


def test_each_of_the_words_is_shown_before_one_again_and_not_more_than_a_few() -> None:
    assert [one.match for one in found("a b", "b a a b")] == ["a", "b"]
    assert [one.place for one in found("a b", "a 1", "a 2", "a", "b")] == ["a0", "a3", "a1"]


def test_a_text_that_occurs_twice_is_shown_once() -> None:
    assert [one.place for one in found("a", "is a thing", "was a thing", "a word")] == ["a0", "a2"]
    assert len(found("a b c d e", "a b c d e")) == MOST


def test_negated_words_and_those_of_other_spans_are_not_shown() -> None:
    assert found("-needle other", "needle") == []
    assert found("parent(needle)", "needle") == []
    assert [one.match for one in found("span(needle)", "needle")] == ["needle"]


def test_a_match_that_goes_over_much_is_cut() -> None:
    [one] = found('"a b"', "a" + "." * 10_000 + "b")
    assert len(one.match) == MAX_MATCH_CHARS + 1


@given(st.text(max_size=40), st.text(alphabet="aé 会-ÀßA", min_size=1, max_size=6))
def test_what_is_shown_has_the_words_and_is_part_of_the_text(text: str, words: str) -> None:
    if not fold(words):
        return
    whole = f"{text} {words} {text}"
    quoted = words.replace('"', " ")
    for one in found(f'"{quoted}"', whole):
        assert has_words(fold(one.match), fold(words))
        assert one.match in whole


def test_a_text_in_two_conventions_is_shown_once() -> None:
    spelled = [
        ("gen_ai.input.messages", "type tool_call query hang timeout"),
        ("mcp.llm.prompt_json", "type tool_use query hang timeout"),
    ]
    places = [[one.place for one in excerpts(texts, _TIMEOUT)] for texts in (spelled, spelled[1:])]
    assert places == [["gen_ai.input.messages"], ["mcp.llm.prompt_json"]]
