"""The parser of policy files, its mistakes, and the choice of a rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.agent_side.policies.decision import PolicyDecision, combine
from inspector.agent_side.policies.file import HOOKS, Rules, parse, read
from inspector.agent_side.policies.rules import Event, Globs, Policy, Question, RuleList, SourceLine
from inspector.errors import PolicyError

FILE = Path("inspector.toml")


def mistakes(text: str) -> tuple[str, ...]:
    with pytest.raises(PolicyError) as wrong:
        parse(text, FILE)
    return wrong.value.mistakes


def test_tables_are_read_in_order_with_their_lines() -> None:
    rules = parse(
        "port = 1\n\n[[policies]]\naction = 'deny'\n# [[policies]]\n  [[ policies ]]\n"
        "name = 'b'\naction = 'ask'\ntools = 'x'\n[[budgets]]\nof = 'calls'\nat = 1\n",
        FILE,
    )
    assert [(one.name, str(one.source)) for one in rules.policies.policies] == [
        ("#1", "inspector.toml:3"),
        ("b", "inspector.toml:6"),
    ]
    assert str(rules.budgets[0].source) == "inspector.toml:10"
    assert not rules.is_empty
    assert parse("port = 1", FILE).is_empty


def test_an_inline_table_has_no_line_of_its_own() -> None:
    rules = parse("policies = [{ action = 'deny' }]", FILE)
    assert str(rules.policies.policies[0].source) == "inspector.toml"


def test_all_mistakes_are_reported_with_their_lines() -> None:
    assert mistakes(
        """
[[policies]]
name = "one"
action = "block"
tool = ["x"]

[[policies]]
name = "one"
action = "ask"
default = "maybe"
timeout = -1
where = { path = { like = "x" } }
"""
    ) == (
        "inspector.toml:2: [[policies]] #1 (one): `action` is 'block'; use one of deny, "
        "ask, allow.",
        "inspector.toml:2: [[policies]] #1 (one): unknown key `tool`; did you mean `tools`?",
        "inspector.toml:7: [[policies]] #2 (one): `where` path: unknown comparison 'like'; "
        "use one of glob, regex, equals, one_of, under, lt, le, gt, ge, not, exists.",
        "inspector.toml:7: [[policies]] #2 (one): `timeout` must be a number above 0, not -1.",
        "inspector.toml:7: [[policies]] #2 (one): `default` is 'maybe'; use one of deny, allow.",
        "inspector.toml:7: [[policies]] #2 (one): the name is already in use.",
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[[policies]]\n", "`action` is missing"),
        ("[policies]\naction = 'deny'", "`policies` must be [[policies]] tables"),
        ("policies = 3", "`policies` must be [[policies]] tables"),
        ("[[policies]]\naction = 'deny'\nname = ''", "`name` must be a non-empty string"),
        ("[[policies]]\naction = 'deny'\nname = \"a\\nb\"", "must be one line"),
        (f"[[policies]]\naction = 'deny'\nname = '{'x' * 81}'", "at most 80"),
        ("[[policies]]\naction = 'deny'\nname = './x'", "must not start with ./"),
        ("[[policies]]\naction = 'deny'\nname = '#1'", "must not start with ./"),
        ("[[policies]]\naction = 'deny'\nname = 'a + b'", "or contain"),
        (f"[[policies]]\naction = 'deny'\nreason = '{'x' * 4001}'", "more than 4000"),
        ("[[policies]]\naction = 'deny'\ntools = []", "a list of patterns"),
        ("[[policies]]\naction = 'deny'\ntools = [1]", "a list of patterns"),
        ("[[policies]]\naction = 'deny'\nwhere = 'x'", "`where` must be a table"),
        ("[[policies]]\naction = 'deny'\nwhere = { 'a..b' = 1 }", "not a path"),
        ("[[policies]]\naction = 'deny'\non = 'after_tool_call'", "`on` must be"),
        ("[[policies]]\naction = 'deny'\non = []", "`on` must be"),
        (
            "[[policies]]\naction = 'deny'\non = 'before_rpc_request'\ntools = ['x']",
            "`tools` applies",
        ),
        ("[[policies]]\naction = 'deny'\nprompt = 'x'", "`prompt` applies only to rules that ask"),
        ("[[policies]]\naction = 'ask'\nprompt = ' '", "`prompt` must be a non-empty string"),
        ("[[breakpoints]]\naction = 'ask'", "unknown key `action`"),
        ("step = 1", "`step` must be true, false or"),
        ("step = ['before_lunch']", "`step` must be true, false or"),
        ("step = []", "`step` must be true, false or"),
        ("[[budgets]]\nof = 'calls'", "`at` is missing"),
        ("[[budgets]]\nof = 'calls'\nat = 0", "`at` must be a number above 0"),
        ("[[budgets]]\nof = 'calls'\nat = inf", "`at` must be a number above 0"),
        ("[[budgets]]\nat = 1", "`of` is missing"),
        ("[[budgets]]\nof = 'calls'\nat = 1\nwarn_at = 1", "`warn_at` must be below"),
        ("[[budgets]]\nof = 'calls'\nat = 1\nstep = 1", "`step` applies only to budgets that ask"),
        ("[[budgets]]\nof = 'tokens'\nat = 1\ntools = 'x'", 'applies only to `of = "calls"`'),
        ("[[budgets]]\nof = 'tokens'\nat = 1\nper = 'day'", "`per` is 'day'"),
        ("[[policies]]\naction = ", "is not TOML"),
        ("policies = [{action='deny'}," + "{action='deny'}," * 1000 + "]", "more than 1000"),
    ],
)
def test_invalid_text_is_refused_with_a_reason(text: str, fault: str) -> None:
    assert any(fault in one for one in mistakes(text)), mistakes(text)


@given(st.text(max_size=60) | st.from_regex(r"\[\[(policies|budgets)\]\]\n(\w+ = .{0,9}\n){0,4}"))
def test_any_text_is_rules_or_mistakes(text: str) -> None:
    assert _is_read_or_refused(lambda: parse(text, FILE))


CELLS = st.dictionaries(
    st.sampled_from(["name", "action", "tools", "on", "where", "default", "timeout", "of", "at"]),
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
    | st.sampled_from(["deny", "ask", "calls", *HOOKS]) | st.lists(st.text(max_size=2), max_size=2)
    | st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
    max_size=6,
)  # fmt: skip


@given(st.sampled_from(["policies", "breakpoints", "budgets"]), st.lists(CELLS, max_size=3))
def test_any_cells_are_rules_or_mistakes(section: str, tables: list[dict[str, Any]]) -> None:
    assert _is_read_or_refused(lambda: read({section: tables}, "", FILE))


def _is_read_or_refused(reading: Callable[[], Rules]) -> bool:
    try:
        return isinstance(reading(), Rules)
    except PolicyError as error:
        return bool(error.mistakes)


# --- which of them counts -------------------------------------------------------------------------

NAMES = ["read_file", "delete_file", "delete_all", "x"]
GLOBS = st.none() | st.lists(
    st.sampled_from(["*", "delete_*", "*_file", "x", "[!x]*"]), min_size=1, max_size=2
).map(tuple).map(Globs)
POLICIES = st.lists(
    st.builds(
        lambda action, tools, servers, hooks: ("", action, tools, servers, hooks),
        st.sampled_from(["allow", "deny", "ask"]),
        GLOBS,
        GLOBS,
        st.sampled_from([("before_tool_call",), ("before_rpc_request",)]),
    ),
    max_size=8,
)


@given(POLICIES, st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=5))
def test_the_first_of_all_that_match_is_found_however_often_it_is_looked_for(
    drawn: list[Any], calls: list[tuple[str, str]]
) -> None:
    policies = [
        Policy(
            str(number), action, SourceLine(FILE, None), hooks,
            tools if hooks[0][7] == "t" else None, servers,
        )
        for number, (_, action, tools, servers, hooks) in enumerate(drawn)
    ]  # fmt: skip
    rules = RuleList(policies)
    for hook in ("before_tool_call", "before_rpc_request"):
        for tool, server in [*calls, *calls]:
            event = Event(hook, {"tool_name": tool, "server_name": server}, lambda: "")
            expected = [
                one
                for one in policies
                if hook in one.hooks
                and (one.tools is None or one.tools.fit(tool))
                and (one.servers is None or one.servers.fit(server))
            ]
            assert rules.first(event) == (expected[0] if expected else None)


VERDICTS: st.SearchStrategy[Any] = st.sampled_from(["allow", "deny", "ask", "break"])
WORDS = st.text("abc", min_size=1)
DECISIONS = st.lists(st.builds(PolicyDecision, WORDS, VERDICTS, WORDS), max_size=6)


@given(DECISIONS)
def test_the_strictest_of_all_counts(decisions: list[PolicyDecision]) -> None:
    result = combine(decisions)
    effects = {one.effect for one in decisions}
    order = ["deny", "ask", "break", "allow"]
    expected = next((one for one in order if one in effects), None)
    assert (None if result is None else result.effect) == expected
    if expected in ("ask", "break"):
        assert result is not None
        asking = [one for one in decisions if one.effect in ("ask", "break")]
        assert all(one.reason in result.reason for one in asking)


def test_silence_allows_after_the_longest_time_and_denies_after_the_shortest() -> None:
    def combined(*times: tuple[float, str]) -> tuple[float, str]:
        result = combine(
            [
                PolicyDecision("x", "ask", "r", Question("p", time_s, default))
                for time_s, default in times
            ]
        )
        assert result is not None
        return result.question.timeout_s, result.question.default

    assert combined((300, "allow"), (0.001, "allow")) == (300, "allow")
    assert combined((300, "allow"), (9, "deny")) == (9, "deny")
    assert combined((300, "deny"), (0.001, "allow")) == (0.001, "deny")


def test_long_names_together_are_one_name_that_is_not_that_of_others() -> None:
    def named(last: str) -> PolicyDecision | None:
        return combine([PolicyDecision(f"policy:{'x' * 79}{n}", "ask", "r") for n in f"12{last}"])

    one, other = named("3"), named("4")
    assert one is not None
    assert other is not None
    assert len(one.by) <= 200
    assert one.by != other.by
