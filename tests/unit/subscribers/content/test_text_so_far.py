"""What is shown of an answer that still comes: never a part of a secret, wherever chunks end."""

from __future__ import annotations

import random
import re
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subscribers.content.redaction import REDACTED, Redactor
from subscribers.content.text_so_far import MAX_SHOWN_CHARS, MAX_STORED_CHARS, TextSoFar

# The secret part stands between the marks.
SECRETS = [
    "sk-proj-«abcdefghijklmnopqrstuvwx»",
    "ghp_«abcdefghijklmnopqrstuvwxyz0123456789»",
    "AKIA«IOSFODNN7EXAMPLE»",
    "https://hooks.slack.com/services/«T0000/B0000/A1b2A1b2A1b2A1b2»",
    "eyJ«hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N»",
    "postgres://«joe:hunter2hunter2»@db:5432/x",
    "password=«qZ8vKx31m»",
    '"password":"«Tz9q8 Wk8vT,Lx77»"',
    "Authorization: Bearer «abc.def-ghi.jkl»",
    "use Basic «am9lOmh1bnRlcjI=» here",
    "curl -u «joe:hunter2hunter2» https://x",
    "--password «hunter2hunter2»",
    "IDENTIFIED BY '«qWx9vzK2m»'",
    "-----BEGIN RSA PRIVATE KEY-----\n«MIIEow9xQ\nIBAAKC7zP\nqrSTu»\n-----END RSA PRIVATE KEY-----",
    "密码 api_key=«qWx9vzK2mLp4»",
]
PROSE = ["The key is ", "\n", ' {"a": ', "x ", "见下 ", "so, ", "`", "1. "]


def parts_of(secret: str) -> set[str]:
    """Return the parts of a secret that would give some of it away: four characters of it."""
    hidden = re.search("«(.*)»", secret, re.DOTALL)
    assert hidden is not None
    words = [word for word in hidden[1].split() if len(word) >= 4]
    return {word[at : at + 4] for word in words for at in range(len(word) - 3)}


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor()


@given(
    st.lists(st.sampled_from(PROSE), max_size=3).map("".join),
    st.sampled_from(SECRETS),
    st.lists(st.sampled_from(PROSE), max_size=3).map("".join),
    st.lists(st.integers(0, 300), max_size=8),
)
def test_no_part_of_a_secret_shows_wherever_chunks_end(
    before: str, secret: str, after: str, cuts: list[int]
) -> None:
    whole = before + secret.replace("«", "").replace("»", "") + " " + after
    text = TextSoFar(Redactor())
    for start, end in pairwise(sorted({0, *cuts, len(whole)})):
        text.add(whole[start:end])
        shown = text.shown()
        assert not [part for part in parts_of(secret) if part in shown], shown
        # What is shown stays: only a secret that became whole is put in place of its name.
        assert whole.startswith(shown.split(REDACTED)[0])


@pytest.mark.parametrize("secret", SECRETS)
def test_no_part_of_a_secret_shows_after_any_character(secret: str, redactor: Redactor) -> None:
    plain = secret.replace("«", "").replace("»", "")
    text, shown = TextSoFar(redactor), ""
    for char in f"This is it: {plain}\nand then it goes on for a while. ":
        text.add(char)
        shown = text.shown()
        assert not [part for part in parts_of(secret) if part in shown], shown
    assert REDACTED in shown
    assert "goes on for a while." in shown


def test_prose_is_shown_but_for_its_last_word(redactor: Redactor) -> None:
    text = TextSoFar(redactor)
    text.add("Good morn")
    assert text.shown() == "Good "
    text.add("ing, world")
    assert text.shown() == "Good morning, "
    text.add('.\n{"city":"Pa')
    assert text.shown() == 'Good morning, world.\n{"city":"'
    text.add('ris"} 早上好')
    assert text.shown() == 'Good morning, world.\n{"city":"Paris"} 早上好'


def test_rules_of_the_user_hold_across_chunks_too() -> None:
    text = TextSoFar(Redactor(patterns=[r"\d{4} \d{4} \d{4} \d{4}"]))
    for piece in ("Pay with 4111 ", "1111 11", "11 1111", " now. ", "x " * 100):
        text.add(piece)
        assert "1111" not in text.shown()
    assert text.shown().startswith(f"Pay with {REDACTED} now. x x")


def test_a_long_answer_shows_its_end_and_stays_bounded(redactor: Redactor) -> None:
    key = "\n-----BEGIN PRIVATE KEY-----\n" + "MIIEow9xQIBAAKC7zP\n" * 60
    key += "-----END PRIVATE KEY-----\n"
    rng = random.Random(7)
    text, whole = TextSoFar(redactor), ""
    for number in range(1500):
        piece = key if number % 100 == 50 else f"line {number} is {rng.random()}\n" * 3
        whole += piece
        text.add(piece)
        if number % 7 == 0:
            shown = text.shown()
            assert len(shown) <= MAX_SHOWN_CHARS
            assert "MIIE" not in shown
            assert len(text._raw) + len(text._settled) < 3 * MAX_STORED_CHARS // 4
    assert text.chars == len(whole) > 2 * MAX_STORED_CHARS
    assert text.shown() == redactor.text(whole)[-MAX_SHOWN_CHARS:]


@pytest.mark.slow
def test_a_secret_without_an_end_is_not_shown_however_long_it_is(redactor: Redactor) -> None:
    text = TextSoFar(redactor)
    text.add("-----BEGIN PRIVATE KEY-----\n")
    for _ in accumulate(range(4000)):
        text.add("MIIEow9xQIBAAKC7zPqrSTuv8wMIIEow9xQIBAAKC7zPqrSTuv8w\n")
        if _ % 100 == 0:
            assert "MIIE" not in text.shown()
    assert "MIIE" not in text.shown()
    assert len(text._raw) < 3 * MAX_STORED_CHARS


def test_what_waits_for_a_sender_that_does_not_come_is_bounded(redactor: Redactor) -> None:
    text = TextSoFar(redactor)
    for number in range(100_000):
        text.add(f"word {number} ")
    assert sum(map(len, text._pieces)) <= MAX_STORED_CHARS
    assert text.shown().startswith("word ") is False  # the end of what was kept
    assert len(text.shown()) <= MAX_SHOWN_CHARS
