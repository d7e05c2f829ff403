"""Lines of a list that come from Markdown."""

from __future__ import annotations

import pytest

from inspector.service.normalise.plain import plain_line


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("# Plan\n\n## **Fix** the build", "Plan Fix the build"),
        ("See [the log](https://a.example/x_(1)?y=2), ![a chart](c.png)", "See the log, a chart"),
        ("Run:\n```sh\nmake `all`\n```\nthen `make test`", "Run: make all then make test"),
        ("**A**, **b c**: **[d](e)**", "A, b c: d"),
    ],
)
def test_the_signs_of_markdown_go(markdown: str, plain: str) -> None:
    assert plain_line(markdown, 1_000) == plain


@pytest.mark.parametrize(
    "text",
    ["src/**/*.py a/**/b/**/c", "f(**kw, **more) f(**a,**b)", "__init__ 2 ** 3 ** 4", "#12 a[0] *"],
)
def test_what_only_looks_like_markdown_stays(text: str) -> None:
    assert plain_line(text, 1_000) == text


@pytest.mark.parametrize("part", ["**a ", "[", "[a](", "(a)", "` ", "#", "**"])
def test_the_time_for_a_text_grows_as_its_length(part: str) -> None:
    """Quadratic growth runs into the time limit of a test, by far."""
    assert len(plain_line(part * (100_000 // len(part)), 100_000)) <= 100_000
