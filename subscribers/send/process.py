"""Process identity: one id per process, a new one after `fork`."""

from __future__ import annotations

import os
import socket
import uuid
from typing import Any

from opentelemetry.sdk.resources import Resource

from subscribers.content.redaction import Redactor

INSTANCE_ID = "service.instance.id"
MAX_CACHED = 64


class ProcessIdentity:
    """The process id by which the inspector distinguishes live processes from dead ones."""

    def __init__(self, redactor: Redactor | None = None) -> None:
        """Make an identity.

        Args:
            redactor: Scrubs resources, such as command lines; None leaves them as they are.
        """
        self._redactor = redactor
        self._outdated: set[Any] = set()
        """Ids and pids of the processes that we are forked from."""
        self._completed: dict[int, tuple[Resource, Resource]] = {}
        self._renew()

    def attributes(self) -> dict[str, Any]:
        """Return the resource attributes of this process."""
        if os.getpid() != self._attributes["process.pid"]:
            self._outdated |= {self._attributes[INSTANCE_ID], self._attributes["process.pid"]}
            self._completed.clear()
            self._renew()
        return dict(self._attributes)

    def complete(self, resource: Resource) -> Resource:
        """Add this process to `resource`; user settings stay, a parent's are replaced."""
        current = self.attributes()
        cached = self._completed.get(id(resource))
        if cached is not None and cached[0] is resource:
            return cached[1]
        attributes = resource.attributes
        missing = {
            key: value
            for key, value in current.items()
            if attributes.get(key) is None or attributes[key] in self._outdated
        }
        completed = self._scrubbed(resource.merge(Resource(missing)) if missing else resource)
        if len(self._completed) >= MAX_CACHED:
            self._completed.clear()
        self._completed[id(resource)] = (resource, completed)
        return completed

    def _scrubbed(self, resource: Resource) -> Resource:
        if self._redactor is None:
            return resource
        attributes = dict(resource.attributes)
        clean = {key: self._redactor.value(key, value) for key, value in attributes.items()}
        # The redactor returns a list for a tuple.
        as_lists = {k: list(v) if isinstance(v, tuple) else v for k, v in attributes.items()}
        return resource if clean == as_lists else Resource(clean, resource.schema_url)

    def _renew(self) -> None:
        self._attributes: dict[str, Any] = {
            INSTANCE_ID: str(uuid.uuid4()),
            "process.pid": os.getpid(),
            "host.name": socket.gethostname(),
        }
