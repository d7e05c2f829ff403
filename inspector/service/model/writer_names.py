"""The services of a reader by name, and ids with the name of their service: `eu:ID`."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_EXAMPLE = "eu=https://eu.example"


@dataclass(frozen=True, slots=True)
class WriterAddress:
    """The name and the address of a service."""

    name: str
    url: str
    """Without a slash at the end."""

    @property
    def is_protected(self) -> bool:
        """Whether nobody on the way can read what is sent."""
        parts = urlsplit(self.url)
        return parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1")

    @classmethod
    def parse(cls, text: str) -> WriterAddress:
        """Read `eu=https://eu.example`.

        Raises:
            ValueError: It is none; says why.
        """
        name, equals, url = (part.strip() for part in text.partition("="))
        if not equals:
            raise ValueError(f"{text!r} is not a name and an address, such as {_EXAMPLE}")
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} is not a name: use up to 32 of a-z, 0-9, _ and -, such as {_EXAMPLE}"
            )
        try:
            parts = urlsplit(url)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
            is_address = is_address and (parts.port is None or parts.port > 0)
            is_address = is_address and not (parts.query or parts.fragment or "@" in parts.netloc)
        except ValueError:
            is_address = False
        if not is_address:
            # Not shown: people put passwords into addresses.
            raise ValueError(
                f"the address of {name!r} is not http:// or https:// with a host, without user and"
                f" query, such as {_EXAMPLE}"
            )
        return cls(name, url.rstrip("/"))


def qualified(name: str, own_id: str) -> str:
    """Return the id that a reader shows for one of a service."""
    return f"{name}:{own_id}"


def split_id(shown_id: str, names: Collection[str]) -> tuple[str, str] | None:
    """Return the name of the service and its own id; None where no known name is before it."""
    name, colon, own_id = shown_id.partition(":")
    return (name, own_id) if colon and name in names else None
