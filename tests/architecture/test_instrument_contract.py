"""Changes of the hook contract, which need a new version.

`hook_contract.json` holds, for each version that was ever published, every hook with its kwargs.
With a change of the catalogue goes a higher `CONTRACT_VERSION`, a line in `HISTORY` and in the
changelog, and the new version in that file.

`hook_rows.json` has the whole rows of the last version: types, what may be written, the value,
retries and aliases. `python -m tests.architecture.test_instrument_contract` writes it anew once
the version is higher.
"""

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from instrument.catalogue import CATALOGUE, CONTRACT_VERSION, HISTORY, Hook
from tools.generate import ROOT

Contract: TypeAlias = dict[str, list[str]]

FILE = Path(__file__).with_name("hook_contract.json")
ROWS = Path(__file__).with_name("hook_rows.json")
PUBLISHED: dict[str, Contract] = json.loads(FILE.read_text(encoding="utf-8"))


def contract(version: str) -> Contract:
    """Return the hooks and kwargs of the catalogue that exist since `version` or before."""
    return {
        hook.name: sorted(
            kwarg.name for kwarg in hook.kwargs if number(kwarg.since) <= number(version)
        )
        for hook in CATALOGUE.values()
        if number(hook.since) <= number(version)
    }


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def needed_step(old: Contract, new: Contract) -> str:
    """Return the step that a change from `old` to `new` needs: none, minor or major."""
    if old == new:
        return "none"
    removed = old.keys() - new.keys() or any(set(old[hook]) - set(new[hook]) for hook in old)
    return "major" if removed else "minor"


def step(old: str, new: str) -> str:
    return "major" if number(old)[0] != number(new)[0] else "minor"


@pytest.mark.parametrize("version", PUBLISHED)
def test_the_catalogue_still_has_every_published_version(version: str) -> None:
    assert contract(version) == PUBLISHED[version], (
        f"hooks of version {version} changed: what is new needs a new version"
    )


def test_the_current_version_is_published_and_holds_the_whole_catalogue() -> None:
    everything = {hook.name: sorted(k.name for k in hook.kwargs) for hook in CATALOGUE.values()}

    assert PUBLISHED[CONTRACT_VERSION] == everything
    assert list(PUBLISHED) == [version for version, _, _ in HISTORY]


def test_the_changelog_names_the_current_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    about_hooks = [line for line in changelog.splitlines() if "hook" in line.lower()]

    assert any(CONTRACT_VERSION in line for line in about_hooks)


def test_every_version_was_numbered_as_its_changes_need() -> None:
    versions = list(PUBLISHED)
    for old, new in pairwise(versions):
        assert needed_step(PUBLISHED[old], PUBLISHED[new]) == step(old, new)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ({"a": ["x"]}, "none"),
        ({"a": ["x", "y"]}, "minor"),
        ({"a": ["x"], "b": []}, "minor"),
        ({"a": []}, "major"),
        ({"b": ["x"]}, "major"),
    ],
)
def test_adding_is_minor_and_removing_or_renaming_is_major(new: Contract, expected: str) -> None:
    assert needed_step({"a": ["x"]}, new) == expected


def rows() -> dict[str, Any]:
    """Return the version and the whole catalogue as JSON has them."""
    return {"version": CONTRACT_VERSION, "rows": {h.name: _row(h) for h in CATALOGUE.values()}}


VALUE_KEYS = ("kwarg", "input", "output", "stop")


def _row(hook: Hook) -> dict[str, Any]:
    value = hook.value
    return {
        "since": hook.since,
        "kwargs": {kwarg.name: kwarg.type for kwarg in hook.kwargs},
        "writable": list(hook.writable),
        "value": value and {name: getattr(value, name) for name in VALUE_KEYS},
        "retryable": hook.retryable,
        "aliases": {name: list(names) for name, names in hook.aliases.items()},
    }


def test_the_rows_are_those_of_their_version() -> None:
    assert rows() == json.loads(ROWS.read_text(encoding="utf-8")), (
        "a hook changed: it needs a higher CONTRACT_VERSION and a line in the changelog"
    )


if __name__ == "__main__":
    if ROWS.exists() and json.loads(ROWS.read_text("utf-8"))["version"] == CONTRACT_VERSION:
        sys.exit(f"The rows of version {CONTRACT_VERSION} are written: give the change a new one.")
    ROWS.write_text(json.dumps(rows(), indent=1) + "\n", encoding="utf-8")
