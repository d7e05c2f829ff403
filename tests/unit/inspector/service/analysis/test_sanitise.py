import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.analysis.sanitise import as_written, visible, visible_line, visible_part

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=60)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Grüße, 東京 🙂", "Grüße, 東京 🙂"),
        ("\x1b[2J", r"\x1b[2J"),
        ("a\r\nb\tc", "a\\x0d\nb\tc"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("pay\u200bload", r"pay\u200bload"),
        ("\U000e0049\U000e0047", r"\U000e0049\U000e0047"),
        ("x\U000e0101", r"x\U000e0101"),
        ("\x9b31m", r"\x9b31m"),
        ("\ud800", r"\ud800"),
        ("a\u00a0b", "a b"),
    ],
)
def test_what_acts_or_hides_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANY_TEXT)
def test_nothing_that_acts_or_hides_is_left(text: str) -> None:
    for shown in (visible(text), visible_part(text, 0, 1_000)[0]):
        for char in shown:
            assert char in "\n\t" or unicodedata.category(char) not in {
                "Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp",
            }  # fmt: skip


@given(ANY_TEXT, st.integers(1, 30))
def test_a_line_is_one_line_and_no_longer_than_the_limit(text: str, most: int) -> None:
    shown = visible_line(text, most)
    assert len(shown) <= most
    assert "\n" not in shown


@given(ANY_TEXT, st.integers(10, 30))
def test_parts_are_all_of_the_text_in_its_order(text: str, most: int) -> None:
    parts, place = [], 0
    while place < len(text):
        part, reached = visible_part(text, place, most)
        assert len(part) <= most
        assert reached > place
        parts.append(part)
        place = reached
    assert "".join(parts) == visible(text)


@given(ANY_TEXT.filter(lambda text: "\\" not in text and "\u00a0" not in text))
def test_what_was_shown_leads_back_to_what_was_written(text: str) -> None:
    assert as_written(visible(text)) == text
