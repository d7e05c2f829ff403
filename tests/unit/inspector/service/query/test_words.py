"""Words of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.query.words import fold, has_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("Merge Conflict!", "merge conflict"),
        ("src/a-b_c.py", "src a b c py"),
        ("sk-ABC123", "sk abc123"),
        ("Straße café ÅNGSTRÖM", "strasse cafe angstrom"),
        ("ﬁle №5", "file no5"),
        ("合并冲突", "合 并 冲 突"),
        ("カタカナ ｶﾀｶﾅ", "カ タ カ ナ カ タ カ ナ"),
        ("done🔥🔥", "done 🔥 🔥"),
        ("a\x00b\ud800c", "a b c"),
    ],
)
def test_text_is_folded_to_words(text: str, words: str) -> None:
    assert fold(text) == words


@given(st.text())
def test_folded_text_stays_as_it_is(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_folded_like_any_text(text: str) -> None:
    assert fold(text) == fold(text + " é").removesuffix("e").strip()


@given(st.lists(st.text(), min_size=1), st.data())
def test_words_in_a_row_are_found(texts: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(texts) - 1))
    last = data.draw(st.integers(first, len(texts) - 1))
    wanted = fold(" ".join(texts[first : last + 1]))
    if wanted:
        assert has_words(fold(" ".join(texts)), wanted)


def test_a_prefix_is_the_beginning_of_the_last_word_only() -> None:
    assert has_words("merge conflict", "merge conf", is_prefix=True)
    assert not has_words("merge conflict", "merge conf")
    assert not has_words("merge conflict", "erge", is_prefix=True)
