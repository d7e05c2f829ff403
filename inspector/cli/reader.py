"""The source of sessions: the running service, or else the store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from inspector.cli.client import Client, NoServiceError
from inspector.service.settings import load_settings
from inspector.service.token_file import store_path


class ServiceReader(Protocol):
    """A source that answers the read-only requests of `openapi.yaml`."""

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`.

        Raises:
            NoServiceError: The service does not answer.
            RefusedError: The answer is a problem.
        """

    def export(self, session_id: str) -> Iterator[bytes]:
        """Yield a session as a gzip file; raise as `get`."""

    def page(self, session_id: str) -> Iterator[bytes]:
        """Yield a session as a web page; raise as `get`."""


def find_reader(url: str | None = None) -> ServiceReader:
    """Return the named or running service, or else the store, read-only.

    Args:
        url: The service, instead of `INSPECTOR_URL` or the run-file.

    Raises:
        NoServiceError: There is neither.
    """
    try:
        return Client.find(url)
    except NoServiceError:
        settings = load_settings()
        path = store_path(settings.store)
        if path is None or not path.exists():
            raise
        from inspector.cli.offline import OfflineClient  # noqa: PLC0415 - all of the service

        return OfflineClient(settings)
