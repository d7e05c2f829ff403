"""Providers of models, by their official names."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import Json
from inspector.service.normalise import keys

ALIASES = {
    "vertex_ai": "gcp.vertex_ai",
    "vertexai": "gcp.vertex_ai",
    "google.vertex": "gcp.vertex_ai",
    "gemini": "gcp.gemini",
    "google.generative-ai": "gcp.gemini",
    "xai": "x_ai",
    "aws": "aws.bedrock",
    "bedrock": "aws.bedrock",
    "amazon-bedrock": "aws.bedrock",
    "aws_bedrock": "aws.bedrock",
    "mistralai": "mistral_ai",
    "mistral": "mistral_ai",
}
_NAMESPACES = ("aws.", "azure.", "gcp.", "ibm.")
# Values of some frameworks in place of a provider.
_FRAMEWORKS = frozenset({"strands-agents", "langchain", "langgraph", "llamaindex", "_other"})


def provider_of(attributes: Mapping[str, Json]) -> str | None:
    """Return the first named provider, in any spelling."""
    named = (provider_name(as_text(attributes.get(key))) for key in keys.PROVIDER)
    return next((name for name in named if name), None)


def provider_name(raw: str | None) -> str | None:
    """Return the provider's official name, e.g. of `openai.chat`; None for a framework's."""
    if not raw:
        return None
    name = raw.strip().lower()
    if name in _FRAMEWORKS:
        return None
    if name.startswith("az.ai."):
        return "azure.ai." + name.removeprefix("az.ai.")
    if name in ALIASES:
        return ALIASES[name]
    if name.startswith(_NAMESPACES):
        return name
    # The Vercel AI SDK adds which of the provider's interfaces it is: `openai.responses`.
    vendor = name.partition(".")[0]
    return ALIASES.get(vendor, vendor)
