"""The examples of the guide, and the example file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inspector.agent_side.policies.conditions import COMPARISONS, read_condition
from inspector.agent_side.policies.file import HOOKS, parse

ROOT = Path(__file__).resolve().parents[5]
GUIDE = (ROOT / "docs" / "guide" / "policies.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_of_the_guide_is_in_force(text: str) -> None:
    assert not parse(text, ROOT / "guide.toml").is_empty


def test_the_guide_has_examples_and_names_every_event_and_comparison() -> None:
    assert len(EXAMPLES) == 3
    assert all(f"`{hook}`" in GUIDE for hook in HOOKS if hook != "before_tool_call")
    assert all(re.search(rf"`{name}`|\b{name} = ", GUIDE) for name in COMPARISONS)


@pytest.mark.parametrize(
    "path", re.findall(r"""[`"'](options\.force|files\[0\]\.name|files\[\*\]|\*\*)["'`]""", GUIDE)
)
def test_every_path_of_the_guide_is_one(path: str) -> None:
    read_condition(path, "x")


def test_the_example_file_has_the_rules_of_the_guide() -> None:
    file = ROOT / "examples" / "policies.toml"
    rules = parse(file.read_text(encoding="utf-8"), file)
    assert {one.action for one in rules.policies.policies} == {"allow", "ask", "deny"}
    assert {one.of for one in rules.budgets} == {"cost_usd", "seconds", "calls"}
