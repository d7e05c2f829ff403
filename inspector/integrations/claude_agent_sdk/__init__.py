"""Adapter for the Claude Agent SDK: what its command line reports, decided by its hooks.

The agent itself runs in a process of its own, the command line `claude`. What it does is known from
the messages that it sends, and decided where it asks: by hooks of the SDK, which are added to the
program's own when a conversation begins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from inspector.integrations.claude_agent_sdk.conversation import Conversation
from inspector.integrations.claude_agent_sdk.hooks import DecidingHooks
from inspector.integrations.patches import Patches
from instrument import Bus
from instrument import default as shared

_QUERY = "claude_agent_sdk._internal.query"
_TRANSPORT = "claude_agent_sdk._internal.transport.subprocess_cli"
_CLIENT = "claude_agent_sdk.client"

Method = Callable[..., Awaitable[Any]]


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch the conversations of `targets`, or all of this process that begin from now on.

    Args:
        *targets: Of `claude_agent_sdk`: `ClaudeSDKClient`, before it connects.
        bus: Default: the bus that everybody shares.

    Returns:
        A function that detaches; conversations that run are reported to their end. Idempotent.
    """
    here, patches = bus or shared.bus, Patches("claude_agent_sdk")
    if not targets and not patches.claim(here):
        return lambda: None
    watched = _Conversations(here, patches, targets)
    query = patches.find(_QUERY, "Query")
    for name, wrap in (
        ("initialize", watched.initializing),
        ("start", watched.starting),
        ("_handle_sdk_mcp_request", watched.serving),
        ("close", watched.closing),
    ):
        patches.put(query, name, wrap)
    transport = patches.find(_TRANSPORT, "SubprocessCLITransport")
    patches.put(transport, "_build_command", watched.commanding)
    client = patches.find(_CLIENT, "ClaudeSDKClient")
    patches.put(client, "query", watched.prompting)
    if targets:
        patches.put(client, "connect", watched.connecting)
    return patches.undo


class _Conversations:
    """The conversations of one `attach`, by the SDK's object for one."""

    def __init__(self, bus: Bus, patches: Patches, targets: tuple[Any, ...]) -> None:
        self._bus, self._patches, self._targets = bus, patches, targets
        self._known: WeakKeyDictionary[Any, Conversation] = WeakKeyDictionary()
        self._session_ids: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        """The sessions of transports, where they are known before the command line tells."""
        self._connecting: set[asyncio.Task[Any] | None] = set()

    def commanding(self, original: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
        """Wrap the method that builds the command line: a new session is named from the start.

        Otherwise its id, as random as ours, is known only after its MCP servers were set up.
        """

        @wraps(original)
        def build_command(transport: Any) -> list[str]:
            command = original(transport)
            if self._is_wanted():
                name = self._patches.attempt(lambda: _new_session_id(transport._options))
                if name is not None:
                    self._session_ids[transport] = name
                    if not transport._options.session_id:
                        command.append(f"--session-id={name}")
            return command

        return build_command

    def starting(self, original: Method) -> Method:
        """Wrap the method that begins to read what the command line sends."""

        @wraps(original)
        async def start(query: Any) -> Any:
            if self._is_wanted() and query not in self._known:
                self._patches.attempt(lambda: self._watch(query))
            return await original(query)

        return start

    def _watch(self, query: Any) -> None:
        session_id = self._session_ids.get(query.transport)
        conversation = Conversation(self._bus, query, session_id)
        query.transport = _Watched(query.transport, conversation)
        self._known[query] = conversation

    def _is_wanted(self) -> bool:
        try:
            task = asyncio.current_task()
        except RuntimeError:  # another event loop: its tasks know no contexts of ours
            return False
        return bool(self._bus._hooks) and (not self._targets or task in self._connecting)

    def connecting(self, original: Method) -> Method:
        """Wrap the method of a client that begins a conversation: only targets are watched."""

        @wraps(original)
        async def connect(client: Any, *args: Any, **kwargs: Any) -> Any:
            if not any(one is client for one in self._targets):
                return await original(client, *args, **kwargs)
            task = asyncio.current_task()
            self._connecting.add(task)
            try:
                return await original(client, *args, **kwargs)
            finally:
                self._connecting.discard(task)

        return connect

    def initializing(self, original: Method) -> Method:
        """Wrap the method that tells the command line which hooks there are."""

        @wraps(original)
        async def initialize(query: Any) -> Any:
            conversation = self._known.get(query)
            if conversation is not None:
                hooks = DecidingHooks(conversation)
                query.hooks = self._patches.attempt(lambda: hooks.beside(query.hooks)) or {}
            return await original(query)

        return initialize

    def prompting(self, original: Method) -> Method:
        """Wrap the method that asks: the run is below what asks here."""

        @wraps(original)
        async def ask(client: Any, *args: Any, **kwargs: Any) -> Any:
            conversation = self._known.get(getattr(client, "_query", None))
            if conversation is not None:
                conversation.enter()
            return await original(client, *args, **kwargs)

        return ask

    def serving(self, original: Method) -> Method:
        """Wrap the method by which the command line calls MCP servers of this process."""

        @wraps(original)
        async def serve(query: Any, server_name: Any, message: Any) -> Any:
            conversation = self._known.get(query)
            if conversation is None:
                return await original(query, server_name, message)
            return await conversation.serve(message, lambda: original(query, server_name, message))

        return serve

    def closing(self, original: Method) -> Method:
        """Wrap the method that ends a conversation."""

        @wraps(original)
        async def close(query: Any) -> Any:
            conversation = self._known.pop(query, None)
            try:
                result = await original(query)
            except BaseException:  # also where nothing may be awaited any more
                if conversation is not None:
                    conversation.close()
                raise
            if conversation is not None:
                await conversation.closed()
            return result

        return close


def _new_session_id(options: Any) -> str | None:
    """Return the id of a session that begins; None for one that goes on, which has its own."""
    if options.continue_conversation or options.resume or options.fork_session:
        return None
    return str(options.session_id or uuid4())


class _Watched:
    """A transport that shows a conversation each message, otherwise as the original."""

    def __init__(self, transport: Any, conversation: Conversation) -> None:
        self._transport, self._conversation = transport, conversation

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    async def read_messages(self) -> Any:
        """Read the messages of the command line."""
        async for message in self._transport.read_messages():
            await self._conversation.see(message)
            yield message
