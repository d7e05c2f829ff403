from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.normalise.session_ids import MAX_CHARACTERS, session_id

_NAMES = st.one_of(st.text(min_size=1), st.text("./,?#%a", min_size=1), st.text(min_size=190))


@given(_NAMES)
def test_every_id_fits_into_a_path_segment_and_a_list(name: str) -> None:
    made = session_id(name)
    assert 0 < len(made) <= MAX_CHARACTERS
    assert made not in (".", "..", "count", "histogram", "usage")
    assert not set(made) & set("/,?#%\\")
    assert all(unicodedata.category(character) != "Cc" for character in made)


@given(_NAMES)
def test_the_same_name_gives_the_same_id_and_an_id_stays_as_it_is(name: str) -> None:
    assert session_id(session_id(name)) == session_id(name)


@given(_NAMES, _NAMES)
def test_two_names_have_two_ids(one: str, other: str) -> None:
    assert (session_id(one) == session_id(other)) == (one == other)


def test_a_name_that_fits_is_the_id() -> None:
    for name in ("S", "a b", "é:1", "...", "n" * MAX_CHARACTERS, "0b6d7c4e-27a1"):
        assert session_id(name) == name


def test_a_made_id_begins_with_what_is_readable() -> None:
    assert session_id("team/alpha, 7?").startswith("team-alpha-7-")
    assert session_id("..").startswith("session-")
    assert session_id("count").startswith("count-")
