"""The address of a history: `clickhouse://user@host1:8123,host2:8123/database?secure=1`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEME = "clickhouse://"
_PORTS = {False: 8123, True: 8443}
"""Default port of the HTTP interface, without TLS and with it."""
_EXAMPLE = "clickhouse://inspector@127.0.0.1:8123/inspector"


@dataclass(frozen=True, slots=True)
class HistoryAddress:
    """Where a history is. Its password is another setting."""

    user: str
    hosts: tuple[tuple[str, int], ...]
    """Host and port of each server; the first that answers is used."""
    database: str
    is_secure: bool

    @classmethod
    def parse(cls, text: str) -> HistoryAddress:
        """Read an address.

        Raises:
            ValueError: It is none; says why.
        """
        if not text.startswith(SCHEME):
            # Not shown: people put passwords into addresses.
            raise ValueError(f"it is not an address such as {_EXAMPLE}")
        authority, _, rest = text.removeprefix(SCHEME).partition("/")
        user, is_named, listed = authority.rpartition("@")
        user = unquote(user)
        if ":" in user:
            raise ValueError("the password belongs into INSPECTOR_HISTORY_PASSWORD")
        database, _, query = rest.partition("?")
        options = dict(parse_qsl(query, keep_blank_values=True))
        secure = options.pop("secure", "0")
        if options or secure not in ("0", "1"):
            raise ValueError(f"{', '.join(sorted(options)) or secure}: the only option is secure=1")
        is_secure = secure == "1"
        hosts = tuple(_host(one, _PORTS[is_secure]) for one in listed.split(",") if one.strip())
        if not hosts:
            raise ValueError(f"it names no host: use an address such as {_EXAMPLE}")
        if len(set(hosts)) < len(hosts):
            raise ValueError("it names a host twice")
        if not database.strip("/"):
            raise ValueError(f"it names no database: use an address such as {_EXAMPLE}")
        return cls(user if is_named else "default", hosts, unquote(database), is_secure)

    def __str__(self) -> str:
        listed = ",".join(f"{_bracketed(host)}:{port}" for host, port in self.hosts)
        return f"{SCHEME}{listed}/{self.database}"

    def each(self) -> list[HistoryAddress]:
        """Return the address of each server alone."""
        return [replace(self, hosts=(host,)) for host in self.hosts]

    def last(self, server: HistoryAddress) -> HistoryAddress:
        """Return this address, with one of its servers after all others."""
        return replace(self, hosts=tuple(sorted(self.hosts, key=lambda host: host in server.hosts)))

    def urls(self) -> list[str]:
        """Return the address of each server."""
        scheme = "https" if self.is_secure else "http"
        return [f"{scheme}://{_bracketed(host)}:{port}" for host, port in self.hosts]


def _host(text: str, default_port: int) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{text.strip()}")
        host, port = parts.hostname, parts.port or default_port
    except ValueError as error:
        raise ValueError("it names something that is not a host, or a host and a port") from error
    if not host or parts.path:
        raise ValueError("it names something that is not a host, or a host and a port")
    return host, port


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
