# ruff: noqa: N815 - mcp-toolkit spells attributes in camelCase
"""Composition of hooks into one text for the model, grouped by RFC 2119 strength."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, get_args

from instrument.guidance.checks import wrong
from instrument.guidance.definition import HookDefinition, RequirementLevel
from instrument.guidance.loader import FailedHook, ResolvedHook
from instrument.guidance.registry import SkippedHook
from instrument.guidance.spelling import Alias, merged
from instrument.guidance.transparency import Notify, notify_locally, report

SEPARATOR = "\n\n---\n\n"
"""Separator of sections, and by default of the hooks in a section."""

REFERENCE = (
    "> The following sections use requirement levels defined in "
    "[RFC 2119](https://www.rfc-editor.org/rfc/rfc2119)."
)

PREAMBLES: dict[RequirementLevel, str] = {
    "MUST": "These are absolute requirements. You must follow these instructions.",
    "MUST NOT": "These are absolute prohibitions. You must never do any of this.",
    "SHOULD": "These are recommended actions. Follow unless you have good reason not to.",
    "SHOULD NOT": "These actions are not recommended. Avoid them unless you have good reason.",
    "MAY": "These are optional. Use your judgment.",
}

_ATTEMPT = "create a composer"
_RANK = {level: rank for rank, level in enumerate(get_args(RequirementLevel))}


class HookSummary(NamedTuple):
    """The composer's treatment of one hook."""

    id: str
    """Id of the hook."""
    tag: str
    """Its filesystem-safe name."""
    name: str
    """Its heading."""
    requirement_level: RequirementLevel
    """Its requirement level as in RFC 2119."""
    priority: int
    """Its priority; higher comes first among hooks of one level."""
    reason: str | None = None
    """Reason of the omission or failure; None: it was included."""

    @classmethod
    def of(cls, hook: HookDefinition, reason: str | None = None) -> HookSummary:
        """Summarise `hook`."""
        return cls(hook.id, hook.tag, hook.name, hook.requirement_level, hook.priority, reason)


@dataclass(frozen=True)
class ComposedHooks:
    """Guidance for the model, with its included, skipped and failed hooks."""

    content: str
    """Markdown; empty when no hook was included."""
    included_hooks: tuple[HookSummary, ...] = ()
    """The included hooks, in the order of `content`."""
    skipped_hooks: tuple[HookSummary, ...] = ()
    """Hooks with unmet conditions, with reasons."""
    failed_hooks: tuple[HookSummary, ...] = ()
    """Hooks whose text failed to load, with reasons."""
    notices: tuple[str, ...] = ()
    """Sentences about omitted hooks."""

    includedHooks = Alias[tuple[HookSummary, ...]]("included_hooks")
    skippedHooks = Alias[tuple[HookSummary, ...]]("skipped_hooks")
    failedHooks = Alias[tuple[HookSummary, ...]]("failed_hooks")

    role: ClassVar[str] = "assistant"
    """Role of `content` in a prompt."""

    def to_message(self) -> dict[str, Any]:
        """Return `content` as a message of an MCP prompt."""
        return {"role": self.role, "content": {"type": "text", "text": self.content}}


class Composer:
    """A composer of texts. It is stateless: one is enough for all threads and sessions."""

    def __init__(
        self,
        *,
        include_preambles: bool = True,
        separator: str = SEPARATOR,
        include_rfc2119_reference: bool = True,
        max_chars: int | None = None,
        notify: Notify = notify_locally,
    ) -> None:
        if not isinstance(separator, str):
            raise wrong(_ATTEMPT, "separator", separator, "a string")
        if max_chars is not None and (type(max_chars) is not int or max_chars < 0):
            raise wrong(_ATTEMPT, "max_chars", max_chars, "a whole number, or None for no limit")
        self._has_preambles = include_preambles
        self._has_reference = include_rfc2119_reference
        self._separator = separator
        self._max_chars = max_chars
        self.notify = notify

    def compose(
        self, resolved: Iterable[ResolvedHook], *, notify: Notify | None = None
    ) -> ComposedHooks:
        """Compose the texts of `resolved`, and report the omitted ones.

        Sections come in the order MUST, MUST NOT, SHOULD, SHOULD NOT, MAY. In a section, hooks of
        higher priority come first, then in the order of `resolved`. (Interceptors on the bus are
        ordered the other way: lower first.)

        Args:
            resolved: Hooks with their texts. A list from `load_all` has the skipped and failed
                hooks too.
            notify: Called with each notice, in place of the composer's function.
        """
        return self.compose_with_transparency(
            resolved,
            getattr(resolved, "skipped", ()),
            getattr(resolved, "failed", ()),
            notify=notify,
        )

    def compose_with_transparency(
        self,
        resolved: Iterable[ResolvedHook],
        skipped: Iterable[SkippedHook] = (),
        failed: Iterable[FailedHook] = (),
        *,
        notify: Notify | None = None,
    ) -> ComposedHooks:
        """Compose like `compose`, from lists of skipped and failed hooks."""
        ordered = sorted(resolved, key=_place)
        count = self._how_many_fit(ordered)
        included, over = ordered[:count], ordered[count:]
        limit = f"over the limit of {self._max_chars} characters"
        unmet = [HookSummary.of(hook, reason) for hook, reason in skipped]
        limited = [HookSummary.of(item.hook, limit) for item in over]
        broken = [HookSummary.of(hook, error) for hook, error in failed]
        notices = tuple(_notices(unmet, limited, broken))
        for notice in notices:
            report(notify or self.notify, notice)
        return ComposedHooks(
            content=self._render(included),
            included_hooks=tuple(HookSummary.of(item.hook) for item in included),
            skipped_hooks=(*unmet, *limited),
            failed_hooks=tuple(broken),
            notices=notices,
        )

    composeWithTransparency = compose_with_transparency

    def _how_many_fit(self, ordered: list[ResolvedHook]) -> int:
        if self._max_chars is None:
            return len(ordered)
        counts = range(len(ordered) + 1)
        # Each hook makes the text longer, so a binary search is enough.
        lengths = bisect_right(
            counts, self._max_chars, key=lambda count: len(self._render(ordered[:count]))
        )
        return lengths - 1

    def _render(self, ordered: Iterable[ResolvedHook]) -> str:
        sections: dict[RequirementLevel, list[str]] = {}
        for item in ordered:
            body = f"### {item.hook.name}\n\n{item.content.strip()}".rstrip()
            sections.setdefault(item.hook.requirement_level, []).append(body)
        if not sections:
            return ""
        text = SEPARATOR.join(self._section(level, texts) for level, texts in sections.items())
        return f"{REFERENCE}\n\n{text}" if self._has_reference else text

    def _section(self, level: RequirementLevel, texts: list[str]) -> str:
        parts = [f"## {level}", self._separator.join(texts)]
        if self._has_preambles:
            parts.insert(1, PREAMBLES[level])
        return "\n\n".join(parts)


def _place(item: ResolvedHook) -> tuple[int, int]:
    return _RANK[item.hook.requirement_level], -item.hook.priority


def _notices(
    unmet: list[HookSummary], limited: list[HookSummary], broken: list[HookSummary]
) -> Iterable[str]:
    """Yield the notices; that on unmet conditions has the wording of mcp-toolkit."""
    if unmet:
        listed = ", ".join(f"{hook.tag} ({hook.reason})" for hook in unmet)
        yield (
            f"{_were(unmet)} skipped (conditions not met): {listed}. "
            "Call with different context to include them."
        )
    if limited:
        listed = ", ".join(hook.tag for hook in limited)
        yield f"{_were(limited)} left out ({limited[0].reason}): {listed}."
    if broken:
        listed = ", ".join(f"{hook.name} ({hook.reason})" for hook in broken)
        yield f"{len(broken)} hook(s) failed to load: {listed}"


def _were(hooks: list[HookSummary]) -> str:
    return "1 hook was" if len(hooks) == 1 else f"{len(hooks)} hooks were"


def create_composer(options: Mapping[str, object] | None = None, /, **named: Any) -> Composer:
    r"""Return a composer.

    Args:
        options: The keywords below as a mapping, in either spelling.
        **named: `include_preambles` (True), a sentence on each requirement level;
            `separator` (`"\n\n---\n\n"`) between the hooks of a section;
            `include_rfc2119_reference` (True); `max_chars` (None), beyond which the least binding
            hooks are omitted; `notify`, which is called with each notice.

    Raises:
        GuidanceValueError: An option is unknown or invalid.
    """
    known = {
        "include_preambles",
        "separator",
        "include_rfc2119_reference",
        "max_chars",
        "notify",
    }
    return Composer(**merged(_ATTEMPT, options, named, known))
