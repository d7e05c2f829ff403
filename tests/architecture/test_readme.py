"""The examples of the README work as shown."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_two_commands_come_first() -> None:
    first = _blocks("sh")[0]

    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make run", "make test"]
    assert README.index("```sh") < 200


def test_the_script_is_the_example_that_is_run_by_a_test() -> None:
    [script] = _blocks("python")
    example = (ROOT / "examples" / "hello.py").read_text(encoding="utf-8")

    assert script.strip() in example
    assert len([line for line in script.splitlines() if line.strip()]) <= 10


def test_the_picture_is_there() -> None:
    for image in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README):
        assert (ROOT / image).stat().st_size > 20_000


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    texts = [README, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")]
    named = {name for text in texts for name in re.findall(r"\bmake ([a-z-]+)", text)}

    assert named
    assert named <= targets
