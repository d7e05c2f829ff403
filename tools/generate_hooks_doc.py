"""Generate the tables of `docs/instrumentation-hooks.md`, the hook contract, from the catalogue."""

from __future__ import annotations

from pathlib import Path

from instrument.catalogue import (
    CATALOGUE,
    CONTRACT_VERSION,
    HISTORY,
    IDENTITY,
    NOUNS,
    OPERATION_STATUSES,
    TRANSPORTS,
    Hook,
    Noun,
)
from tools.pages import filled, table


def outputs() -> dict[Path, str]:
    """Return the page and its text."""
    history = (f"| {version} | {date} | {what} |" for version, date, what in HISTORY)
    writable = (_control_row(hook) for hook in CATALOGUE.values() if hook.writable or hook.aliases)
    parts = {
        "version": f"{CONTRACT_VERSION} ({HISTORY[-1][1]})",
        "transports": ", ".join(f"`{name}`" for name in TRANSPORTS),
        "hooks": table("| hook | when | kwargs | added |", map(_hook_row, CATALOGUE.values())),
        "statuses": ", ".join(f"`{status}`" for status in OPERATION_STATUSES),
        "nouns": table(
            "| noun | hooks | `op.args` reads | `op.result` becomes |",
            map(_noun_row, NOUNS.values()),
        ),
        "writable": table(
            "| hook | writable | value | retry | stop gives | also known as |", writable
        ),
        "history": table("| version | date | what |", history),
    }
    return filled("instrumentation-hooks.md", parts)


def _hook_row(hook: Hook) -> str:
    shown = hook.kwargs[: -len(IDENTITY)] if _is_of_an_operation(hook) else hook.kwargs
    kwargs = ", ".join(
        f"`{kwarg.name}: {kwarg.type}`" + ("" if kwarg.always else f" ({kwarg.since})")
        for kwarg in shown
    ).replace("|", r"\|")
    return f"| `{hook.name}` | {hook.when} | {kwargs} | {hook.since} |"


def _is_of_an_operation(hook: Hook) -> bool:
    return any(hook.name in (noun.before, noun.after, noun.error) for noun in NOUNS.values())


def _noun_row(noun: Noun) -> str:
    hooks = " ".join(f"`{name}`" for name in (noun.before, noun.after, noun.error))
    reads = f"`{noun.input}`" if noun.input else ""
    return f"| `{noun.name}` | {hooks} | {reads} | `{noun.output}` |"


def _control_row(hook: Hook) -> str:
    writable = ", ".join(f"`{name}`" for name in hook.writable)
    value = stop = ""
    if hook.value is not None:
        value = f"`{hook.value.kwarg}: {hook.value.input}`"
        if hook.value.output != hook.value.input:
            value += f" → `{hook.value.output}`"
        stop = f"`{hook.value.stop}`" if hook.value.stop else ""
    retry = "yes" if hook.retryable else ""
    aliases = ", ".join(
        f"{vocabulary} `{name}`" for vocabulary, names in hook.aliases.items() for name in names
    )
    cells = (f"`{hook.name}`", writable, value, retry, stop, aliases)
    return f"| {' | '.join(cells)} |"
