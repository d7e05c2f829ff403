"""Generate the tables of `docs/telemetry-spec.md` from `subscribers/spec/telemetry_spec.toml`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from subscribers.spec.loader import load_spec
from subscribers.spec.model import DEFAULT_PATH as SPEC_PATH
from subscribers.spec.model import Attribute, HookSpec, Requirement, Spec
from tools.pages import filled, table

_REQUIREMENTS = {
    Requirement.REQUIRED: "always",
    Requirement.CONDITIONAL: "when known",
    Requirement.RECOMMENDED: "recommended",
    Requirement.OPT_IN: "opt-in",
    Requirement.OWN: "ours",
}


def outputs() -> dict[Path, str]:
    """Return the document."""
    return _page(load_spec(SPEC_PATH))


def render(spec: Spec) -> str:
    """Return the document for `spec`."""
    return _page(spec)[Path("docs/telemetry-spec.md")]


def _page(spec: Spec) -> dict[Path, str]:
    spans = (
        f"| {span.name} | `{span.noun}` | `{_escape(span.template)}` | {span.kind} "
        f"| `{span.legacy_name}` |"
        for span in spec.spans.values()
    )
    requirements = ", ".join(f"{code} {text}" for code, text in _REQUIREMENTS.items())
    parts = {
        "version": spec.version,
        "requirements": requirements,
        "spans": table("| Span | Operation | Name | Kind | Legacy name |", spans),
        "hooks": "\n\n".join(map(_hook, spec.hooks.values())),
    }
    return filled("telemetry-spec.md", parts)


def _hook(hook: HookSpec) -> str:
    head = f"### `{hook.name}`\n\n{_action(hook)}"
    if not hook.attributes:
        return head
    columns = "| Attribute | Legacy key | Type | Required | Source | Cut | Kind of value | Hook |"
    return f"{head}\n\n{table(columns, _rows(hook.name, hook.attributes))}"


def _action(hook: HookSpec) -> str:
    match hook.action:
        case "start":
            return f"Starts {f'the span `{hook.span}`' if hook.span else 'the span of its noun'}."
        case "end":
            return f"Ends {f'the span `{hook.span}`' if hook.span else 'the span of its noun'}."
        case "remember":
            return "Is sent together with the hook that follows."
        case _:
            where = {
                "span": "on the current span",
                "operation": "on the span of the operation it names",
                "none": "as a record of its own",
            }
            return f"The moment `{hook.event}`, {where[hook.on]}."


def _rows(hook: str, attributes: Iterable[Attribute]) -> Iterable[str]:
    for row in attributes:
        source = f"`{row.constant}`" if row.source is None else _source(row)
        yield (
            f"| {_key(row.current)} | {_key(row.legacy)} | {row.type} | {row.requirement} "
            f"| {source} | {row.truncation} | {row.sensitivity} | `{hook}` |"
        )


def _source(row: Attribute) -> str:
    paths = " or ".join(f"`{path}`" for path in (row.source or "").split("|"))
    condition = f", if `{_escape(row.when)}`" if row.when else ""
    return f"{paths} ({row.via}{condition})"


def _key(key: str | None) -> str:
    return f"`{key}`" if key else ""


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
