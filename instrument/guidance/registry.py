# ruff: noqa: N815 - mcp-toolkit spells methods in camelCase
"""A registry of guidance hooks, and queries for those that apply now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, NamedTuple, get_args

from instrument.guidance.checks import check_app, choice, names, scope, wrong
from instrument.guidance.definition import (
    DEFAULT_APP,
    HookDefinition,
    HookLifecycle,
    HookType,
    features,
)
from instrument.guidance.errors import DuplicateHookError
from instrument.guidance.spelling import merged

_QUERY_KEYS = frozenset(
    {
        "type",
        "lifecycle",
        "storage",
        "features",
        "feature",
        "config",
        "request_id",
        "session_id",
        "tags",
    }
)


class SkippedHook(NamedTuple):
    """A hook that matches a query except for its conditions."""

    hook: HookDefinition
    """The hook."""
    reason: str
    """The unmet condition, such as `requires storage: memory`."""


class QueryResult(list[HookDefinition]):
    """Matching hooks, highest priority first, and the hooks with unmet conditions.

    Attributes:
        skipped: Hooks with unmet conditions, with reasons.
    """

    def __init__(
        self, hooks: Iterable[HookDefinition] = (), skipped: Iterable[SkippedHook] = ()
    ) -> None:
        super().__init__(hooks)
        self.skipped = tuple(skipped)


class HookRegistry:
    """Hook definitions by id. All methods are thread-safe."""

    def __init__(self, *, app: str = DEFAULT_APP) -> None:
        check_app("create a hook registry", app)
        self.app = app
        self._hooks: dict[str, HookDefinition] = {}
        self._lock = Lock()  # for writers; readers take a copy

    def register(
        self, definition: HookDefinition | Mapping[str, object] | None = None, /, **fields: Any
    ) -> HookDefinition:
        """Add a hook, given as a definition, a mapping in either spelling, or keywords.

        Its text is beside the file that made the definition, or that calls this.

        Returns:
            The registered definition, with its `app` and `id`.

        Raises:
            GuidanceValueError: A field is invalid.
            DuplicateHookError: The id is taken.
        """
        return self._add([HookDefinition.parse(definition, **fields)])[0]

    def register_all(
        self, definitions: Iterable[HookDefinition | Mapping[str, object]]
    ) -> list[HookDefinition]:
        """Add several hooks, or none if one of them cannot be added."""
        return self._add([HookDefinition.parse(definition) for definition in definitions])

    registerAll = register_all

    def get(self, hook_id: str) -> HookDefinition | None:
        """Return the hook with this id, or None."""
        return self._hooks.get(hook_id)

    def has(self, hook_id: str) -> bool:
        """Return whether there is a hook with this id."""
        return hook_id in self._hooks

    def unregister(self, hook_id: str) -> bool:
        """Remove the hook with this id; return whether there was one."""
        with self._lock:
            return self._hooks.pop(hook_id, None) is not None

    def all(self) -> list[HookDefinition]:
        """Return every hook, in the order of registration."""
        return list(self._hooks.values())

    def size(self) -> int:
        """Return the number of hooks."""
        return len(self._hooks)

    def clear(self) -> None:
        """Remove every hook."""
        with self._lock:
            self._hooks.clear()

    def query(self, options: Mapping[str, object] | None = None, /, **named: Any) -> QueryResult:
        """Return the hooks that apply in a situation.

        Args:
            options: The keywords below as a mapping, in either spelling.
            **named: `type` and `lifecycle` of the hooks; `storage`, the active backend or
                backends; `features`, the available MCP features (or one `feature`); `config`,
                the configuration; `request_id` and `session_id`; `tags`, any of which a hook has.

        Returns:
            A list, highest priority first. Hooks with unmet conditions are in its `skipped`, with
            reasons. A hook of a request or session applies to that one alone. Without `config`,
            conditions on the configuration count as met.

        Raises:
            GuidanceValueError: A keyword is unknown, or a value invalid.
        """
        situation = _Situation.of(merged("query hooks", options, named, _QUERY_KEYS))
        candidates = [hook for hook in self.all() if situation.matches(hook)]
        candidates.sort(key=lambda hook: -hook.priority)
        unmet = [(hook, "; ".join(situation.unmet(hook))) for hook in candidates]
        return QueryResult(
            (hook for hook, reason in unmet if not reason),
            (SkippedHook(hook, reason) for hook, reason in unmet if reason),
        )

    def _add(self, definitions: list[HookDefinition]) -> list[HookDefinition]:
        hooks = [hook if hook.app else replace(hook, app=self.app) for hook in definitions]
        with self._lock:
            added: dict[str, HookDefinition] = {}
            for hook in hooks:
                if hook.id in self._hooks or hook.id in added:
                    raise DuplicateHookError(hook.id)
                added[hook.id] = hook
            self._hooks.update(added)
        return hooks


@dataclass(frozen=True)
class _Situation:
    """The situation of a query; None: unspecified."""

    type: str | None
    lifecycle: str | None
    tags: frozenset[str]
    storage: frozenset[str]
    features: frozenset[str]
    config: Mapping[str, object] | None
    request_id: str | None
    session_id: str | None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> _Situation:
        attempt = "query hooks"
        for name, allowed in (("type", get_args(HookType)), ("lifecycle", get_args(HookLifecycle))):
            if options.get(name) is not None:
                choice(attempt, name, options[name], allowed)
        config = options.get("config")
        if config is not None and not isinstance(config, Mapping):
            raise wrong(attempt, "config", config, "a mapping")
        available = (*_one_or_more(options, "features"), *_one_or_more(options, "feature"))
        return cls(
            type=options.get("type"),
            lifecycle=options.get("lifecycle"),
            tags=frozenset(_one_or_more(options, "tags")),
            storage=frozenset(_one_or_more(options, "storage")),
            features=frozenset(features(attempt, "features", available)),
            config=config,
            request_id=scope(attempt, "request_id", options.get("request_id")),
            session_id=scope(attempt, "session_id", options.get("session_id")),
        )

    def matches(self, hook: HookDefinition) -> bool:
        """Return whether `hook` matches the query, without its conditions."""
        return (
            self.type in {None, hook.type}
            and self.lifecycle in {None, hook.lifecycle}
            and hook.request_id in {None, self.request_id}
            and hook.session_id in {None, self.session_id}
            and (not self.tags or not self.tags.isdisjoint(hook.tags))
        )

    def unmet(self, hook: HookDefinition) -> Iterator[str]:
        """Yield the unmet conditions of `hook`, without values of the configuration."""
        needed = hook.conditions
        if needed.requires_storage and self.storage.isdisjoint(needed.requires_storage):
            yield f"requires storage: {' or '.join(needed.requires_storage)}"
        missing = [name for name in needed.requires_features if name not in self.features]
        if missing:
            yield f"requires features: {', '.join(missing)}"
        if self.config is not None:
            other = [
                key for key, value in needed.requires_config.items() if not self._has(key, value)
            ]
            if other:
                yield f"requires config: {', '.join(other)}"

    def _has(self, key: str, value: object) -> bool:
        return self.config is not None and key in self.config and self.config[key] == value


def _one_or_more(options: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = options.get(name)
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else names("query hooks", name, value)


def create_hook_registry(
    options: Mapping[str, object] | None = None, /, **named: Any
) -> HookRegistry:
    """Return an empty registry.

    Args:
        options: The keywords below as a mapping.
        **named: `app`, the first part of the id of hooks that name none.

    Raises:
        GuidanceValueError: An option is unknown or invalid.
    """
    return HookRegistry(**merged("create a hook registry", options, named, {"app"}))
