from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.analysis.truncation import LONG_VALUES, as_text, clamp, find

_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)
_DETAILS: Any = st.dictionaries(
    st.sampled_from(["view", "attributes", "body", "name", "a/b", "~"]), _JSON
)


@given(_DETAILS, st.integers(4, 100))
def test_each_cut_says_where_the_whole_value_is(detail: dict[str, Any], value_bytes: int) -> None:
    clamped, cuts = clamp(detail, value_bytes)
    for cut in cuts:
        whole = as_text(find(detail, cut.pointer))
        beginning = find(clamped, cut.pointer)
        assert len(whole.encode()) == cut.size_bytes > value_bytes
        assert whole.startswith(beginning)
        assert cut.is_json is not isinstance(find(detail, cut.pointer), str)


@given(_DETAILS, st.integers(4, 100))
def test_what_is_not_cut_is_as_it_was(detail: dict[str, Any], value_bytes: int) -> None:
    clamped, cuts = clamp(detail, value_bytes)
    for cut in cuts:
        *path, key = cut.pointer.split("/")
        parent = find(clamped, "/".join(path))
        step = key.replace("~1", "/").replace("~0", "~")
        parent[int(step) if isinstance(parent, list) else step] = find(detail, cut.pointer)
    assert clamped == detail


def test_a_character_is_never_cut_in_two() -> None:
    clamped, _ = clamp({"name": "aé€😀" * 10}, 8)
    assert clamped["name"] == "aé€"


def test_a_long_list_among_attributes_is_one_value() -> None:
    clamped, (cut,) = clamp({"attributes": {"n": list(range(100))}}, 10)
    assert clamped == {"attributes": {"n": "[0, 1, 2, "}}
    assert (cut.pointer, cut.is_json) == ("/attributes/n", True)


def test_many_long_values_are_cut_shorter_except_those_that_are_read_first() -> None:
    many = {str(n): "x" * 2_000 for n in range(LONG_VALUES * 2)}
    clamped, cuts = clamp({"attributes": many, "view": {"error": "y" * 2_000}}, 1_000)
    lengths = [len(value) for value in clamped["attributes"].values()]
    assert lengths == [1_000] * (LONG_VALUES - 1) + [256] * (LONG_VALUES + 1)
    assert len(clamped["view"]["error"]) == 1_000
    assert len(cuts) == 2 * LONG_VALUES + 1
