"""Generate the lists of `docs/redaction.md`: what the rules of gitleaks redact."""

from __future__ import annotations

from pathlib import Path

from subscribers.content.redaction import Redactor
from tests.support.telemetry.published_tokens import CONTEXTS, VALUES, name_of, sample
from tools.pages import filled


def is_redacted(template: str) -> bool:
    """Return whether redaction leaves no secret in a text made of `template`."""
    made = sample(template)
    text = Redactor().text(made.text)
    return not any(secret in text for secret in made.secrets if len(secret) > 5)


def outputs() -> dict[Path, str]:
    """Return the page."""
    anywhere = {rule for rule, value in VALUES.items() if is_redacted(f"it is {value} there")}
    anywhere |= {rule for rule, text in CONTEXTS.items() if is_redacted(text)}
    others = VALUES.keys() - anywhere
    named = {rule for rule in others if is_redacted(f"{name_of(rule)}={VALUES[rule]}")}
    missed = (VALUES.keys() | CONTEXTS.keys()) - anywhere - named
    lists = {"anywhere": anywhere, "named": named, "missed": missed}
    return filled("redaction.md", {name: _listed(rules) for name, rules in lists.items()})


def _listed(rules: set[str]) -> str:
    return f"{len(rules)}: " + ", ".join(f"`{rule}`" for rule in sorted(rules))
