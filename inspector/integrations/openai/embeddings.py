"""Embeddings: texts in, vectors out, of which nothing is reported but what they cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.integrations.clients.endpoint import Endpoint, Json, StreamedAnswer
from instrument.parts import Injection

_MAX_PARSED_BYTES = 1_000_000
"""Longest answer that is read for its tokens: reading vectors twice takes time."""


class Embeddings(Endpoint):
    """`client.embeddings`."""

    path = "/embeddings"
    input = "input"
    operation_name = "embeddings"

    def read(self, content: bytes) -> Any:
        """Return what an answer says beside its vectors, as a message without parts."""
        answer = json.loads(content) if len(content) <= _MAX_PARSED_BYTES else {}
        beside = {name: answer[name] for name in ("model", "usage") if name in answer}
        return {"role": "assistant", "parts": [], **beside}

    def pieces(self) -> StreamedAnswer:
        """Raise: nobody streams vectors.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError

    def inject(self, request: Json, injections: Iterable[Injection]) -> None:
        """Do nothing: no model reads it."""

    def is_answer(self, value: Any) -> bool:
        """Return whether a hook's value is a whole answer of the provider."""
        return isinstance(value, Mapping) and "data" in value

    def text_fields(self, answer: Json) -> Json:
        """Raise: a text is no vector.

        Raises:
            ValueError: Always.
        """
        raise ValueError(
            "A response for embeddings contains vectors: {'data': [{'embedding': […]}]}."
        )

    def whole(self, text: str, request: Json) -> Json:
        """Return an answer that is a text, as the provider would send it."""
        model = request.get("model", "")
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return {"object": "list", "model": model, "data": [], "usage": usage}

    def events(self, answer: Json, request: Json) -> Iterator[Json | str]:
        """Yield nothing."""
        return iter(())
