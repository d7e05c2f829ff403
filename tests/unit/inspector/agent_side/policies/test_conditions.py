"""Conditions on arguments; an undecidable one counts against the call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.agent_side.policies import conditions
from inspector.agent_side.policies.conditions import COMPARISONS, UNREADABLE, read_condition


@dataclass
class File:
    """An argument of the program's own kind."""

    path: str


class Opaque:
    """An argument without readable parts."""

    __slots__ = ()


def is_refused(path: str, wanted: object, args: object) -> bool:
    """Return whether a deny with this condition would apply."""
    return read_condition(path, wanted).holds(args, in_doubt=True)


def is_granted(path: str, wanted: object, args: object) -> bool:
    """Return whether an allow with this condition would apply."""
    return read_condition(path, wanted).holds(args, in_doubt=False)


@pytest.mark.parametrize(
    ("path", "wanted", "args"),
    [
        ("path", "/prod/*", {"path": "/prod/a/b"}),
        ("path", "/prod/*", {"path": Path("/prod/a")}),
        ("$.options.force", True, {"options": {"force": True}}),
        ("options.level", 2, {"options": {"level": 2.0}}),
        ("paths[*]", "/prod/*", {"paths": ["/prod/a", "/prod/b"]}),
        ("paths.*", "/prod/*", {"paths": {"x": "/prod/a"}}),
        ("paths[1]", "b", {"paths": ["a", "b"]}),
        ('["a.b"][0].c', "x", {"a.b": [{"c": "x"}]}),
        ("**", "secret*", {"a": [{"b": "secret 1"}], "c": {"d": "secret 2"}}),
        ("**.path", "/prod*", {"jobs": [{"steps": [{"path": "/prod"}]}]}),
        ("file.path", "/prod/*", {"file": File("/prod/x")}),
        ("*", "x", {"a": "x", "b": "x"}),
        ("sql", {"regex": r"(?i)\bdrop\b"}, {"sql": "select 1; DROP table a"}),
        ("env", ["prod", "staging-*"], {"env": "staging-2"}),
        ("n", {"gt": 100, "le": 200}, {"n": 150}),
        ("n", {"ge": 1.5}, {"n": 1.5}),
        ("n", {"lt": 0}, {"n": -1}),
        ("n", {"one_of": [1, 2]}, {"n": 2}),
        ("name", {"equals": "a*"}, {"name": "a*"}),
        ("name", {"not": "a*"}, {"name": "b"}),
        ("name", {"not": {"equals": "a"}}, {"name": "b"}),
        ("n", "1*", {"n": 12}),
        ("flag", "true", {"flag": True}),
        ("x", "null", {"x": None}),
        ("x", {"exists": True}, {"x": None}),
        ("x", {"exists": False}, {"y": 1}),
    ],
)
def test_a_condition_that_is_so_holds_for_a_deny_and_for_an_allow(
    path: str, wanted: object, args: object
) -> None:
    assert is_refused(path, wanted, args)
    assert is_granted(path, wanted, args)


@pytest.mark.parametrize(
    ("path", "wanted", "args"),
    [
        ("path", "/prod/*", {"path": "/dev/a"}),
        ("path", "/prod/*", {}),
        ("path", "/PROD/*", {"path": "/prod/a"}),
        ("options.force", True, {"options": {"force": False}}),
        ("options.force", True, {"options": "force"}),
        ("paths[3]", "*", {"paths": ["a"]}),
        ("path.x", "*", {"path": "a"}),
        ("n", 1, {"n": True}),
        ("flag", True, {"flag": 1}),
        ("n", {"gt": 100, "le": 200}, {"n": 250}),
        ("name", {"equals": "a*"}, {"name": "ab"}),
        ("name", {"not": "a*"}, {"name": "ab"}),
        ("name", {"not": "a*"}, {}),
        ("x", {"exists": True}, {}),
        ("**", {"under": "/prod"}, {"n": 3, "flag": True, "x": None, "path": "/tmp"}),
        ("x", {"exists": False}, {"x": None}),
        ("**", "x", {"a": [[], {}]}),
    ],
)
def test_a_condition_that_is_not_so_holds_for_neither(
    path: str, wanted: object, args: object
) -> None:
    assert not is_refused(path, wanted, args)
    assert not is_granted(path, wanted, args)


@pytest.mark.parametrize(
    ("path", "wanted", "args"),
    [
        ("path", "/prod/*", {"path": ["/prod/a"]}),
        ("path", "/prod/*", {"path": b"/prod/a"}),
        ("path", {"not": "/tmp/*"}, {"path": ["/prod/a"]}),
        ("path", {"under": "/prod"}, {"path": ["/prod"]}),
        ("path", {"under": "/prod"}, {"path": "/prod\0"}),
        ("path", "*", {"path": Opaque()}),
        ("path", "*", UNREADABLE),
        ("file.path", "*", {"file": Opaque()}),
        ("file[0]", "*", {"file": Opaque()}),
        ("**", "*", {"file": Opaque()}),
        ("n", {"gt": 100}, {"n": "150"}),
        ("n", {"gt": 100}, {"n": float("nan")}),
        ("n", {"lt": 100}, {"n": True}),
        ("n", 3, {"n": "3"}),
        ("n", True, {"n": [True]}),
        ("n", [1, 2], {"n": [1]}),
        ("text", "*", {"text": "x" * (conditions.MAX_TEXT_CHARS + 1)}),
        ("x", {"exists": False}, UNREADABLE),
    ],
)
def test_undecidable_counts_against_the_call(path: str, wanted: object, args: object) -> None:
    assert is_refused(path, wanted, args)
    assert not is_granted(path, wanted, args)


def test_one_value_is_enough_to_refuse_and_all_are_needed_to_grant() -> None:
    args = {"paths": ["/tmp/a", "/etc/passwd"]}
    assert is_refused("paths[*]", "/etc/*", args)
    assert not is_granted("paths[*]", "/tmp/*", args)
    assert not is_granted("paths[*]", "/tmp/*", {"paths": []})


def test_too_many_or_too_deep_values_are_undecidable() -> None:
    many = {"items": ["a"] * (conditions.MAX_VALUES + 1)}
    deep: dict[str, Any] = {"a": "a"}
    for _ in range(conditions.MAX_DEPTH + 1):
        deep = {"a": deep}
    itself: dict[str, Any] = {}
    itself["self"] = itself
    for args in (many, deep, itself):
        assert is_refused("**", "b", args)
        assert not is_granted("**", "a", args)


@pytest.mark.parametrize(
    "path", ["/prod", "/prod/", "/prod/x", "/tmp/../prod/x", "/prod/./x", "//prod/x"[1:]]
)
def test_a_folder_is_meant_however_the_path_is_written(path: str) -> None:
    assert is_refused("path", {"under": "/prod"}, {"path": path})
    assert is_granted("path", {"under": "/prod/"}, {"path": path})


@pytest.mark.parametrize("path", ["/production", "/tmp/prod", "/prod/../tmp/x", "prod"])
def test_a_path_beside_a_folder_is_not_in_it(path: str) -> None:
    assert not is_refused("path", {"under": "/prod"}, {"path": path})


def test_a_link_out_of_a_folder_is_in_doubt(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    args = {"path": str(inside / "link" / "file")}
    for folder in (inside, outside):
        assert is_refused("path", {"under": str(folder)}, args)
        assert not is_granted("path", {"under": str(folder)}, args)


def test_a_relative_path_and_a_home_are_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert is_granted("path", {"under": str(tmp_path)}, {"path": "a/b"})
    assert is_granted("path", {"under": "~"}, {"path": "~/.ssh/id"})
    assert is_granted("path", {"under": "~"}, {"path": f"{tmp_path}/home/x"})


@pytest.mark.parametrize(
    ("path", "wanted", "words"),
    [
        ("", "x", "not a path"),
        ("a..b", "x", "not a path"),
        ("a[x]", "x", "not a path"),
        (".a", "x", "not a path"),
        ("a", {}, "no comparison"),
        ("a", {"like": "x"}, "unknown comparison 'like'"),
        ("a", {"regex": "("}, "not a regular expression"),
        ("a", {"regex": 3}, "must be a string"),
        ("a", {"glob": 3}, "must be a string"),
        ("a", {"gt": "3"}, "not a number"),
        ("a", {"gt": True}, "not a number"),
        ("a", {"under": ""}, "must be a string"),
        ("a", [], "must not be empty"),
        ("a", {"one_of": "x"}, "must not be empty"),
        ("a", {"exists": "yes"}, "true or false"),
        ("a", {"exists": True, "glob": "x"}, "the only comparison"),
        ("a", {"equals": [1]}, "cannot be compared"),
    ],
)
def test_an_invalid_condition_has_a_reason(path: str, wanted: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_condition(path, wanted)


def test_a_condition_has_words() -> None:
    words = [
        read_condition("path", "/prod/*").words,
        read_condition("n", {"gt": 1, "le": 2}).words,
        read_condition("n", ["a", 2, True]).words,
        read_condition("p", {"not": {"under": "/tmp"}}).words,
        read_condition("p", {"exists": False}).words,
    ]
    assert words == [
        "path is like “/prod/*”",
        "n is more than 1 and is at most 2",
        "n is one of “a”, 2, true",
        "p is not so: is in the folder “/tmp”",
        "p does not exist",
    ]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)
WANTED = st.sampled_from(
    ["*", "a*", 1, True, ["a", 1], {"gt": 0}, {"under": "/"}, {"not": "a"}, {"regex": "."}]
)


@given(VALUES, WANTED, st.sampled_from(["a", "*", "**", "a[*].b", "**.a", "a[0]"]))
def test_an_allow_never_holds_where_its_opposite_is_in_doubt(
    value: object, wanted: object, path: str
) -> None:
    """An allow holds for no argument for which a deny of the opposite would hold."""
    args = {"a": value}
    assert set(COMPARISONS) >= {"not"}
    if is_granted(path, wanted, args):
        assert is_refused(path, wanted, args)
        assert not is_refused(path, {"not": wanted}, args)


@given(VALUES, WANTED, st.sampled_from(["a", "a.b", "b.a.b"]), st.booleans())
def test_the_fast_way_through_plain_dicts_finds_what_the_slow_one_does(
    value: object, wanted: object, path: str, in_doubt: bool
) -> None:
    fast = read_condition(path, wanted)
    slow = replace(fast, is_plain=False)
    assert fast.is_plain
    for args in ({"a": value}, {"a": {"b": value}}, {"b": {"a": {"b": value}}}, value):
        assert fast.holds(args, in_doubt=in_doubt) == slow.holds(args, in_doubt=in_doubt)
