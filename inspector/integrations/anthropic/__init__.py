"""Adapter for the `anthropic` client: messages, whole and streamed, and its tool runner.

Also for its variants, of Bedrock, Vertex AI, and others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from inspector.integrations.anthropic.messages import Messages
from inspector.integrations.anthropic.tools import watch_tools
from inspector.integrations.clients import attach_client
from instrument import Bus

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic


def attach(*targets: Anthropic | AsyncAnthropic, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every client of this process, also those made later.

    Runners of a target are watched with it, and the tools that they call.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    return attach_client("anthropic", (Messages(),), targets, bus, watch_tools)
