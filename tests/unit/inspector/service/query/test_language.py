"""The meaning of queries, and the errors of those that are not valid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.query import QueryError, QueryScope, parse_query
from inspector.service.query.fields import SESSION_FIELDS, SPAN_FIELDS
from inspector.service.query.syntax import MAX_CHARS
from inspector.service.query.tree import (
    All,
    Compare,
    CompareAttribute,
    Either,
    Node,
    Not,
    Operator,
    Related,
    Relation,
    Text,
)

NOW_NS = 1_794_000_000 * 10**9
S, MS = 10**9, 10**6


def spans(text: str) -> Node:
    return parse_query(text, QueryScope.SPAN, NOW_NS)


def sessions(text: str) -> Node:
    return parse_query(text, QueryScope.SESSION, NOW_NS)


def compared(name: str, operator: str, value: str | int | float) -> Compare:
    return Compare(SPAN_FIELDS[name], Operator(operator), value)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("", All()),
        ("kind:llm", compared("kind", "=", "llm")),
        ("KIND:LLM", compared("kind", "=", "llm")),
        ("kind:llm,tool", Either((compared("kind", "=", "llm"), compared("kind", "=", "tool")))),
        ("status!=ok", Not(compared("status", "=", "ok"))),
        ("-status:ok", Not(compared("status", "=", "ok"))),
        ("NOT status:ok", Not(compared("status", "=", "ok"))),
        ("tool:git_*", compared("tool", ":", "git_*")),
        ('tool:"git_*"', compared("tool", "=", "git_*")),
        ("name~Fetch", compared("name", "~", "fetch")),
        ("model:*", compared("model", "*", "*")),
        ("root:yes", compared("root", "=", 1)),
        ("tokens>1.5k", compared("tokens", ">", 1_500)),
        ("tokens<=2M", compared("tokens", "<=", 2_000_000)),
        ("cost>=$0.05", compared("cost", ">=", 0.05)),
        ("duration<200ms", compared("duration", "<", 200 * MS)),
        ("size>1.5MiB", compared("size", ">", 1_572_864)),
        (
            "duration:1s..5s",
            All((compared("duration", ">=", S), compared("duration", "<=", 5 * S))),
        ),
        ("duration:1s..", All((compared("duration", ">=", S),))),
        ("input_tokens=9007199254740993", compared("input_tokens", "=", 9007199254740993)),
        ("started>-2h", compared("started", ">=", NOW_NS - 7_200 * S + 1)),
        (
            "@mcp.method.name:tools/call",
            CompareAttribute("mcp.method.name", Operator.EQUALS, "tools/call", None),
        ),
        ("@http.status>=500", CompareAttribute("http.status", Operator.AT_LEAST, "500", 500.0)),
        ('"Merge Conflict"', Text(QueryScope.SPAN, "merge conflict")),
        (r'"say \"hi\""', Text(QueryScope.SPAN, "say hi")),
        ("a/b.py", Text(QueryScope.SPAN, "a b py")),
        ("conf*", Text(QueryScope.SPAN, "conf", is_prefix=True)),
        ("git_*", Text(QueryScope.SPAN, "git")),
        ('"conf*"', Text(QueryScope.SPAN, "conf")),
        ("parent(kind:agent)", Related(Relation.PARENT, compared("kind", "=", "agent"))),
    ],
)
def test_a_query_means_what_it_says(text: str, meaning: Node) -> None:
    assert spans(text) == meaning


def test_or_binds_weaker_than_what_stands_side_by_side() -> None:
    a, b, c = (Text(QueryScope.SPAN, word) for word in "abc")
    assert spans("a b OR c") == Either((All((a, b)), c))
    assert spans("a AND b OR c") == spans("a b OR c")
    assert spans("a (b OR c)") == All((a, Either((b, c))))


def test_a_date_means_the_whole_day() -> None:
    day_ns = 1_793_491_200 * S  # 2026-11-01
    next_ns = day_ns + 86_400 * S
    assert spans("started:2026-11-01") == All(
        (compared("started", ">=", day_ns), compared("started", "<", next_ns))
    )
    assert spans("started>2026-11-01") == compared("started", ">=", next_ns)
    assert spans("started<=2026-11-01") == compared("started", "<", next_ns)
    assert spans("started>=2026-11-01T01:00+01:00") == compared("started", ">=", day_ns)


def test_a_field_of_the_other_scope_is_a_condition_on_that() -> None:
    of_span = Related(Relation.SPAN, compared("kind", "=", "llm"))
    assert (
        sessions("kind:llm") == sessions("span.kind:llm") == sessions("span(kind:llm)") == of_span
    )
    engine = Compare(SESSION_FIELDS["engine"], Operator.EQUALS, "temporal")
    assert spans("engine:temporal") == Related(Relation.SESSION, engine)
    assert sessions("engine:temporal") == engine


def test_a_status_that_only_sessions_have_is_that_of_the_session() -> None:
    failed = Compare(SESSION_FIELDS["status"], Operator.EQUALS, "failed")
    assert spans("status:failed") == Related(Relation.SESSION, failed)
    assert sessions("status:error") == Related(Relation.SPAN, compared("status", "=", "error"))


def test_a_session_has_a_text_when_one_of_its_spans_has() -> None:
    assert sessions("needle") == Either(
        (
            Text(QueryScope.SESSION, "needle"),
            Related(Relation.SPAN, Text(QueryScope.SPAN, "needle")),
        )
    )


@pytest.mark.parametrize(
    ("text", "wrong", "problem"),
    [
        ("a statsu:failed", "statsu", 'Unknown field "statsu". Did you mean status?'),
        ("http://x", "http", "quotes for text"),
        ("span.nmae:x", "span.nmae", "Did you mean name?"),
        ("status:fialed", "fialed", "Did you mean failed?"),
        ("kind:llm,tol", "tol", "Did you mean tool?"),
        ("duration>5x", "5x", "not a duration such as 200ms"),
        ("cost>much", "much", "not an amount"),
        ("tokens:1..many", "many", "not a number"),
        ("tokens>99999999999999999999", "99999999999999999999", "too large"),
        ("started>someday", "someday", "not a time such as 2026-11-01"),
        ("status>failed", ">", "it has no order"),
        ("duration>1s..2s", ">", "Use duration:1s..2s for a range"),
        ("duration:..", "..", "at least one end"),
        ("root:maybe", "maybe", "not yes or no"),
        ("a )", ")", "has no matching"),
        ('a "b', '"', "is not closed"),
        ("@x>many", "many", "many is not a number"),
        ("(a OR", "", "Unexpected end of the query"),
        ("tokens>", "", "Unexpected end of the query: expected a value"),
        ("NOT", "", "Unexpected end of the query"),
        ("a ?!", "?!", "no letter, digit or symbol"),
        ("a *", "*", "no letter, digit or symbol"),
        ("a m*rge", "m*rge", "A * can only end a word"),
    ],
)
def test_mistakes_are_reported_with_their_position(text: str, wrong: str, problem: str) -> None:
    with pytest.raises(QueryError) as raised:
        spans(text)
    error = raised.value
    assert problem in error.problem
    assert text[error.position : error.position + error.length] == wrong
    assert error.pointed().split("\n")[1].index("^") == error.position


@pytest.mark.parametrize(
    "text", ["a" * (MAX_CHARS + 1), "-" * 500 + "a", "(a OR " * 100 + "b" + ")" * 100]
)
def test_a_query_that_is_too_long_or_too_deep_is_refused(text: str) -> None:
    with pytest.raises(QueryError, match="at most"):
        spans(text)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("a statsu:failed", "a status:failed"),
        ("status:fialed b", "status:failed b"),
        ('status:"fialed"', 'status:"failed"'),
        ("kind:llm,tol", "kind:llm,tool"),
        ("span.nmae:x", "name:x"),
    ],
)
def test_what_was_probably_meant_takes_the_place_of_what_is_wrong(text: str, mended: str) -> None:
    with pytest.raises(QueryError) as raised:
        spans(text)
    error = raised.value
    assert error.suggestion is not None
    end = error.position + error.length
    assert text[: error.position] + error.suggestion + text[end:] == mended
    spans(mended)


def test_what_is_near_to_nothing_has_no_suggestion() -> None:
    with pytest.raises(QueryError) as raised:
        spans("zzzzzzzz:1")
    assert raised.value.suggestion is None


def error_of(text: str) -> QueryError | None:
    try:
        spans(text)
    except QueryError as error:
        return error
    return None


words = st.sampled_from(
    [
        "a",
        '"b c"',
        "(",
        ")",
        "-",
        "NOT ",
        "OR",
        "AND",
        "kind:llm",
        "tokens>",
        "5",
        "..",
        '"',
        "@x:",
        "\\",
    ]
)


@given(st.lists(words, max_size=30).map(" ".join) | st.text(max_size=60))
def test_any_text_is_a_query_or_a_query_error_that_points_into_it(text: str) -> None:
    error = error_of(text)
    if error is not None:
        assert 0 <= error.position <= len(text)
        assert error.position + error.length <= len(text)
