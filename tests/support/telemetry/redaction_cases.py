"""Texts and keys, and what redaction says of them, as JSON on standard output.

The tests of the agent side in TypeScript hold its rules against these.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from subscribers.content.redaction import Redactor, is_secret_attribute
from tests.support.telemetry.published_tokens import CONTEXTS, VALUES, name_of, sample
from tests.unit.subscribers.content import test_redaction

_PIECES = [
    *("sk-", "ghp_", "eyJ", "://", "@", "password", "api_key", "token", "curl -u ", "bearer "),
    *(": ", "=", '"', "'", '\\"', "\n", " ", ".", "-", "a1B2c3D4e5F6g7H8", "hunter2", "prose is"),
    *("Authorization", "cookie", "IDENTIFIED BY ", "create user ", "--", "PASS", "İ", "…", "\x1e"),
]
_MIXED = 3_000


def cases() -> dict[str, list[tuple[str, Any]]]:
    """Return texts with their redacted form, and keys with whether they name a secret."""
    redactor = Redactor()
    texts = dict.fromkeys([*_published(), *_of_tests(), *_mixed()])
    keys = dict.fromkeys(text for text in texts if len(text) < 40)
    return {
        "texts": [(text, redactor.text(text)) for text in texts],
        "keys": [(key, is_secret_attribute(key)) for key in keys],
    }


def _published() -> Iterator[str]:
    for rule, template in {**VALUES, **CONTEXTS}.items():
        text = sample(template).text
        yield from (text, f"the value {text} here", f"{name_of(rule)}={text}")


def _of_tests() -> Iterator[str]:
    """Yield the texts that the tests of redaction in Python are about."""
    for test in vars(test_redaction).values():
        for mark in getattr(test, "pytestmark", []):
            for values in mark.args[1:2]:
                for value in values:
                    yield from (v for v in ([value] if isinstance(value, str) else value))


def _mixed() -> Iterator[str]:
    chance = random.Random(20)
    for _ in range(_MIXED):
        yield "".join(chance.choices(_PIECES, k=chance.randint(2, 9)))


if __name__ == "__main__":
    json.dump(cases(), sys.stdout)
