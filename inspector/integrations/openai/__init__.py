"""Adapter for the `openai` client: chat completions, responses, embeddings, whole and streamed.

Also for Azure, and for whatever else speaks OpenAI's protocol at another `base_url`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from inspector.integrations.clients import attach_client
from inspector.integrations.openai.chat import Chat
from inspector.integrations.openai.embeddings import Embeddings
from inspector.integrations.openai.responses import Responses
from instrument import Bus

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


def attach(*targets: OpenAI | AsyncOpenAI, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every client of this process, also those made later.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    return attach_client("openai", (Chat(), Responses(), Embeddings()), targets, bus)
