"""Values derived from hook kwargs: the `$…` values of the telemetry spec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subscribers.bridge.failures import exception_text
from subscribers.content.convert import (
    network_protocol,
    network_transport,
    number,
    top_scores,
    transport,
    uri,
)
from subscribers.content.paths import read_path, step
from subscribers.content.redaction import Redactor

_PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
MAX_CONNECTIONS = 256


class RpcFacts:
    """Reads envelopes; remembers each connection's address and protocol version."""

    def __init__(self) -> None:
        self._versions: dict[Any, str] = {}
        self._addresses: dict[Any, str | None] = {}
        """Connection → address; None if several open ones have the same key."""

    def of_request(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return `$rpc` for an outgoing or incoming request."""
        envelope = kwargs.get("envelope")
        method = step(envelope, "method")
        method = method if isinstance(method, str) else None
        params = step(envelope, "params")
        facts: dict[str, Any] = {
            "method": method,
            "is_http": transport(kwargs.get("transport")) in {"http", "sse"},
            "protocol_version": step(step(params, "_meta"), _PROTOCOL_VERSION)
            or self._versions.get(connection_of(kwargs)),
            "server_uri": self._addresses.get(connection_of(kwargs)),
        }
        if method == "tools/call":
            facts["tool"] = step(params, "name")
            facts["tool_arguments"] = step(params, "arguments")
        elif method == "prompts/get":
            facts["prompt"] = step(params, "name")
            facts["prompt_arguments"] = step(params, "arguments")
        elif method is not None and "resources/" in method:
            facts["uri"] = step(params, "uri")
        return facts

    def note_connection(self, kwargs: Mapping[str, Any]) -> None:
        """Store the address of a transport; remove it once that is closed."""
        key, address = connection_of(kwargs), kwargs.get("$server_uri")
        if "reason" in kwargs or address is None:
            self._addresses.pop(key, None)
        elif key in self._addresses or len(self._addresses) < MAX_CONNECTIONS:
            is_known = self._addresses.get(key, address) == address
            self._addresses[key] = address if is_known else None

    def note_response(self, kwargs: Mapping[str, Any]) -> None:
        """Store the version in the response to `initialize`."""
        result = step(kwargs.get("envelope"), "result")
        version = read_path(result, "protocolVersion|protocol_version")
        if isinstance(version, str) and len(self._versions) < MAX_CONNECTIONS:
            self._versions[connection_of(kwargs)] = version[:256]


def is_notification(method: object) -> bool:
    """Return whether the method is a notification's: SDKs set ids after the hook fires."""
    return isinstance(method, str) and method.startswith("notifications/")


def is_answer_to_notification(envelope: Any) -> bool:
    """Return whether a response envelope is empty."""
    return step(envelope, "result") is None and step(envelope, "error") is None


def target_matches(family: str, key: Any, rpc: Mapping[str, Any]) -> bool:
    """Return whether an RPC request is the inner half of a span of `family` with `key`.

    mcp-agent puts the server's name before the tool's: `fetch_fetch` asks for `fetch`.
    """
    if family == "tool":
        name = rpc.get("tool")
        if not isinstance(name, str) or not isinstance(key, str):
            return False
        return key == name or key.endswith(tuple(f"{sep}{name}" for sep in "_-./:"))
    if family == "resource":
        return rpc.get("method") == "resources/read" and uri_text(rpc.get("uri")) == key
    if family == "prompt":
        return rpc.get("prompt") == key and rpc.get("method") == "prompts/get"
    return False


def progress_percent(kwargs: Mapping[str, Any]) -> float | None:
    """Return MCP's progress and total as a percentage; None without a total."""
    done, total = number(kwargs.get("progress")), number(kwargs.get("total"))
    return 100 * done / total if done is not None and total else None


def agent_name(kwargs: Mapping[str, Any]) -> str | None:
    """Return the agent name for spans inside an agent call."""
    name = read_path(kwargs, "agent.name|agent")
    return name if isinstance(name, str) else None


def selection(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the selected model and the best scores, in the legacy form."""
    scores = kwargs.get("scores")
    found = {"selected_model": kwargs.get("selected_model")}
    return found if scores is None else {**found, "scores": top_scores(scores)}


def reason_text(reason: object, redactor: Redactor) -> str | None:
    """Return a disconnect's reason, which may be an exception, as text."""
    if isinstance(reason, BaseException):
        try:
            return f"{type(reason).__name__}: {exception_text(reason, redactor)}"
        except Exception:  # noqa: BLE001 - a custom `__str__`
            return type(reason).__name__
    return reason if isinstance(reason, str) else None


def transport_facts(transport_type: object) -> dict[str, Any]:
    """Return a connection's transport in the words of the conventions."""
    facts = {
        "network.transport": network_transport(transport_type),
        "network.protocol.name": network_protocol(transport_type),
    }
    return {key: value for key, value in facts.items() if value is not None}


def server_uri(value: object) -> str | None:
    """Return a connection's URI without its secrets; None for a command line."""
    text = uri_text(value)
    if not isinstance(text, str) or "://" not in text[:64]:
        return None
    try:
        return uri(text)
    except ValueError:  # an address that is none, such as `http://[`
        return None


def connection_of(kwargs: Mapping[str, Any]) -> Any:
    """Return the best available identifier of a connection within the process."""
    names = ("connection_id", "server_name", "transport", "transport_type")
    named = (kwargs.get(name) for name in names)
    return next((name for name in named if isinstance(name, str | int) and name), None)


def uri_text(value: Any) -> Any:
    """Return a URI object (pydantic's) as text; any other value unchanged."""
    if isinstance(value, str) or step(value, "unicode_string") is None:
        return value
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - a custom `__str__`
        return None


def as_key(value: Any) -> str | int | None:
    """Return `value` if it can be a key, else None; emitters pass anything."""
    return value if isinstance(value, str | int) else None
