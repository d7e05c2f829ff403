# ruff: noqa: N815 - mcp-toolkit spells methods in camelCase
"""Loading of hook texts from markdown files beside the code that defines the hooks.

The path in a definition is not trusted: only regular files inside the folder are read, and at most
`MAX_CONTENT_BYTES`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from instrument.guidance.checks import wrong
from instrument.guidance.definition import HookDefinition
from instrument.guidance.errors import GuidanceError
from instrument.guidance.registry import SkippedHook
from instrument.guidance.spelling import Alias, merged
from instrument.guidance.transparency import Log, log_locally, report

MAX_CONTENT_BYTES = 256 * 1024

_ATTEMPT = "create a content loader"


@dataclass(frozen=True)
class ResolvedHook:
    """A hook with its text."""

    hook: HookDefinition
    """The hook."""
    content: str
    """Its text, Markdown."""
    content_path: Path | None = None
    """File of the text; None: inline."""

    contentPath = Alias["Path | None"]("content_path")

    @property
    def id(self) -> str:
        """The id of the hook."""
        return self.hook.id

    @property
    def name(self) -> str:
        """The name of the hook."""
        return self.hook.name


class FailedHook(NamedTuple):
    """A hook whose text failed to load."""

    hook: HookDefinition
    """The hook."""
    error: str
    """Why its text failed to load."""


class LoadedHooks(list[ResolvedHook]):
    """Hooks with their texts, failed hooks, and hooks skipped by the query.

    Attributes:
        failed: Hooks whose text cannot be loaded.
        skipped: Hooks that the query skipped.
    """

    def __init__(
        self,
        resolved: Iterable[ResolvedHook] = (),
        failed: Iterable[FailedHook] = (),
        skipped: Iterable[SkippedHook] = (),
    ) -> None:
        super().__init__(resolved)
        self.failed = tuple(failed)
        self.skipped = tuple(skipped)

    @property
    def resolved(self) -> list[ResolvedHook]:
        """The list itself."""
        return self


class ContentLoader:
    """A loader of texts that caches them until `clear_cache`.

    A failure is logged at level `error`: once with a cache, else each time.
    """

    def __init__(
        self,
        *,
        base_path: str | Path | None = None,
        cache: bool = True,
        log: Log = log_locally,
    ) -> None:
        self._base = None if base_path is None else _folder(base_path)
        self._is_cached = cache
        self._log = log
        self._cache: dict[tuple[Path, str], ResolvedHook] = {}
        self._logged: set[str] = set()

    async def load(self, hook: HookDefinition) -> ResolvedHook:
        """Return `hook` with its text; the file is read on another thread.

        Raises:
            ContentError: It cannot be loaded; this is also logged.
        """
        try:
            return await asyncio.to_thread(self._read, hook)
        except ContentError as error:
            self._report(error)
            raise

    async def load_all(self, hooks: Iterable[HookDefinition]) -> LoadedHooks:
        """Load the texts of `hooks`; return the loaded and the failed hooks.

        Returns:
            A list in the order of `hooks`; failed hooks are in its `failed`, and those that the
            query skipped in its `skipped`, for the composer to report.
        """
        loaded, errors = await asyncio.to_thread(self._read_all, hooks)
        return self._reported(loaded, errors)

    def load_all_sync(self, hooks: Iterable[HookDefinition]) -> LoadedHooks:
        """Run `load_all` on this thread."""
        return self._reported(*self._read_all(hooks))

    def load_inline(self, hook: HookDefinition, content: str) -> ResolvedHook:
        """Return `hook` with `content` as its text; nothing is read or cached."""
        return ResolvedHook(hook, content)

    def clear_cache(self) -> None:
        """Clear all texts and the record of logged failures."""
        self._cache.clear()
        self._logged.clear()

    def cache_size(self) -> int:
        """Return the number of cached texts."""
        return len(self._cache)

    loadAll = load_all
    loadInline = load_inline
    clearCache = clear_cache
    cacheSize = cache_size

    def _read_all(self, hooks: Iterable[HookDefinition]) -> tuple[LoadedHooks, list[ContentError]]:
        resolved, errors = [], []
        for hook in hooks:
            try:
                resolved.append(self._read(hook))
            except ContentError as error:
                errors.append(error)
        failed = [FailedHook(error.hook, error.reason) for error in errors]
        return LoadedHooks(resolved, failed, getattr(hooks, "skipped", ())), errors

    def _reported(self, loaded: LoadedHooks, errors: Iterable[ContentError]) -> LoadedHooks:
        for error in errors:
            self._report(error)
        return loaded

    def _report(self, error: ContentError) -> None:
        message = str(error)
        if message not in self._logged:
            report(self._log, "error", message)
        if self._is_cached:
            self._logged.add(message)

    def _read(self, hook: HookDefinition) -> ResolvedHook:
        folder = self._base or (hook.defined_in.parent if hook.defined_in else None)
        if folder is None:
            raise ContentError(
                hook,
                "it was defined outside a file, so it has no adjacent files",
                "Give the loader `base_path=`, or use `load_inline`.",
            )
        name = hook.content_file or f"{hook.tag}.md"
        cached = self._cache.get((folder, name))
        if cached is not None:
            return ResolvedHook(hook, cached.content, cached.content_path)
        path = _inside(hook, folder, name)
        resolved = ResolvedHook(hook, _text(hook, path, name), path)
        if self._is_cached:
            self._cache[folder, name] = resolved
        return resolved


def _folder(path: str | Path) -> Path:
    try:
        return Path(path).absolute()
    except TypeError:
        raise wrong(_ATTEMPT, "base_path", path, "a path") from None


def _inside(hook: HookDefinition, folder: Path, name: str) -> Path:
    """Return the resolved path of `name`, which must be in `folder`."""
    try:
        path = (folder / name).resolve()
        if path.is_symlink():  # from Python 3.13 on, `resolve` does not raise
            raise RuntimeError("a loop of links")
        is_inside = path.is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a name too long, a loop of links
        raise ContentError(hook, f"{name!r} is a broken path", "Correct content_file.") from None
    if not is_inside:
        raise ContentError(
            hook,
            f"{name!r} is outside the folder of the hook's texts",
            "Move the text into the folder, or give the loader a `base_path=` that holds both.",
        )
    return path


def _text(hook: HookDefinition, path: Path, name: str) -> str:
    # Without the path: a server sends this message to its clients.
    remedy = "Set content_file, or give the loader its `base_path=`."
    try:
        if path.exists() and not path.is_file():
            raise ContentError(hook, f"{name} is not a file", remedy)
        with path.open("rb") as file:
            content = file.read(MAX_CONTENT_BYTES + 1)
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise ContentError(hook, f"{name} does not exist", remedy) from None
    except OSError as error:
        reason = f"{name} cannot be read ({error.strerror or type(error).__name__})"
        raise ContentError(hook, reason, remedy) from None
    except UnicodeDecodeError:
        raise ContentError(hook, f"{name} is not UTF-8", "Save it as UTF-8.") from None
    if len(content) > MAX_CONTENT_BYTES:
        raise ContentError(
            hook,
            f"{name} is larger than {MAX_CONTENT_BYTES} bytes",
            "Shorten it.",
        )
    return text


def create_content_loader(
    options: Mapping[str, object] | None = None, /, **named: Any
) -> ContentLoader:
    """Return a loader with an empty cache.

    Args:
        options: The keywords below as a mapping, in either spelling.
        **named: `base_path`, the folder of all texts (default: each text is beside its hook's
            definition); `cache`, False to read files each time; `log`, which is called with a
            level of MCP logging and a message.

    Raises:
        GuidanceValueError: An option is unknown or invalid.
    """
    known = {"base_path", "cache", "log"}
    return ContentLoader(**merged(_ATTEMPT, options, named, known))


class ContentError(GuidanceError):
    """The text of a hook cannot be loaded."""

    def __init__(self, hook: HookDefinition, reason: str, remedy: str) -> None:
        super().__init__(f"Cannot load hook {hook.id!r}: {reason}. {remedy}")
        self.hook = hook
        self.reason = reason
        """The problem, without a path outside the folder of texts."""
