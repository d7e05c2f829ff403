"""Probes of an address, each with a time limit of two seconds."""

from __future__ import annotations

import contextlib
import json
import socket
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

NAME = "mcp-agent-inspector"
TIMEOUT_S = 2.0
_MAX_BYTES = 65_536


def health(url: str, token: str | None = None) -> dict[str, Any] | None:
    """Return the `GET /health` of an inspector at `url`; None without one."""
    answer = ask(f"{url}/health", token)
    found = answer[1] if answer else None
    return found if isinstance(found, dict) and found.get("name") == NAME else None


def ask(url: str, token: str | None = None) -> tuple[int, Any] | None:
    """Return status and JSON (None if invalid) of a GET; None without an answer."""
    request = urllib.request.Request(url)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=TIMEOUT_S) as response:
            return response.status, _json(response.read(_MAX_BYTES))
    except urllib.error.HTTPError as error:
        with error:
            return error.code, None
    except (OSError, HTTPException, ValueError):
        return None


def listens(host: str, port: int) -> bool:
    """Return whether a server accepts connections there."""
    with contextlib.suppress(OSError), socket.create_connection((host, port), TIMEOUT_S):
        return True
    return False


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
