"""Which process this is: one id per process, a new one after `fork`."""

from __future__ import annotations

import os
import socket
import uuid
from typing import Any

from opentelemetry.sdk.resources import Resource

INSTANCE_ID = "service.instance.id"
MAX_CACHED = 64


class ProcessIdentity:
    """The id by which the inspector tells live processes from dead ones."""

    def __init__(self) -> None:
        self._pid = 0
        self._instance_id = ""
        self._made: set[str] = set()
        self._complete: dict[int, tuple[Resource, Resource]] = {}
        self._renew()

    @property
    def instance_id(self) -> str:
        """A random id, stable for the life of the process."""
        if os.getpid() != self._pid:
            self._renew()
        return self._instance_id

    def attributes(self) -> dict[str, Any]:
        """Resource attributes that name this process."""
        return {
            INSTANCE_ID: self.instance_id,
            "process.pid": os.getpid(),
            "host.name": socket.gethostname(),
        }

    def complete(self, resource: Resource) -> Resource:
        """Return `resource` with an id of this process: a user's own stays, a parent's goes."""
        instance_id = self.instance_id
        given = resource.attributes.get(INSTANCE_ID)
        if given == instance_id or (given is not None and given not in self._made):
            return resource
        cached = self._complete.get(id(resource))
        if cached is not None and cached[0] is resource:
            return cached[1]
        if len(self._complete) >= MAX_CACHED:
            self._complete.clear()
        completed = resource.merge(Resource(self.attributes()))
        self._complete[id(resource)] = (resource, completed)
        return completed

    def _renew(self) -> None:
        self._pid = os.getpid()
        self._instance_id = str(uuid.uuid4())
        self._made.add(self._instance_id)
        self._complete.clear()
