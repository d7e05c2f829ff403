"""A client of ClickHouse's HTTP interface: statements, queries and inserts of `RowBinary`."""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import httpx
import orjson

from inspector.errors import HistoryError
from inspector.service.history.address import HistoryAddress

TIMEOUT_S = 60.0
_CONNECT_S = 5.0
_HELLO_S = 5.0
_LOOK_EVERY_S = 1.0
_LOOK_S = 4.0
"""Limit of a query of nothing: whatever else a server does, it answers that."""
_BLOCK_BYTES = 128 * 1024
_ERROR_CHARS = 400
_FULL = "No space left on device"
_CODE = re.compile(r"Code:? (\d+)")
_GRANT = re.compile(r"have the grant ([A-Z ]+(?:\([^()]*\))? ON \S+)\. \(")
_SENTENCES = {
    "60": "a table is missing. It is made again in a moment",
    "81": "the database does not exist. Create it: CREATE DATABASE `{database}`",
    "164": "the user may not write. Name another user, or grant INSERT and CREATE",
    "192": "the user is unknown. Check the name in INSPECTOR_HISTORY",
    "193": "the password is wrong. Check INSPECTOR_HISTORY_PASSWORD",
    "194": "the user needs a password. Set INSPECTOR_HISTORY_PASSWORD",
    "243": "its disk is full. Make room there",
    "242": "its tables are read-only now. Check that ZooKeeper or ClickHouse Keeper runs",
    "497": "a right is missing. Grant INSERT, SELECT, CREATE and ALTER on {database}; for replicas "
    "SYSTEM SYNC REPLICA, too",
    "516": "the user is unknown, or the password is wrong. Check INSPECTOR_HISTORY_PASSWORD",
}
"""What an error of a code means, and what to do."""
_READING = {
    "output_format_json_quote_64bit_integers": "0",
    "max_query_size": str(64 * 1024 * 1024),
    "max_ast_elements": "2000000",
    "max_expanded_ast_elements": "2000000",
}
"""Settings of queries: exact integers, and lists of many ids."""
_PASSING = frozenset({"159", "202", "209", "210", "241", "242", "252", "285", "319", "999"})
"""Codes of what passes by itself: timeouts, too much at once, replicas that are not there."""


class SilentServerError(HistoryError):
    """A server takes connections and answers nobody any more."""

    def __init__(self, address: HistoryAddress) -> None:
        super().__init__(
            f"The history {address} does not answer. Is ClickHouse running there, or overloaded?",
            is_passing=True,
        )
        self.address = address


class ClickHouse:
    """One database, on the first of its servers that answers.

    It stays with that server: another one may have other rows, and another position. One thread may
    insert while another one asks.
    """

    def __init__(self, address: HistoryAddress, password: str = "") -> None:
        self.address = address
        """Of the one server, once there is a connection."""
        self._client = httpx.Client(
            # Not by its own headers: a header is ASCII, and an illegal one is shown in an error.
            auth=httpx.BasicAuth(address.user, password),
            params={"database": address.database},
            timeout=httpx.Timeout(TIMEOUT_S, connect=_CONNECT_S),
            # The CAs of the system, or of `SSL_CERT_FILE`, as commands and agents trust; no proxy.
            verify=ssl.create_default_context() if address.is_secure else False,
            trust_env=False,
        )
        self._settings: dict[str, str] = {}
        self._silent: SilentServerError | None = None
        self._sockets: list[socket.socket] = []
        self._opening = threading.Lock()
        self.is_modern = False
        """Whether the server has maps, and inserts that return before they are done."""
        self.has_text_index = False
        """Whether the server has indexes of words."""
        self.can_sync_parts = False
        """Whether a replica can wait for what is inserted, and not for merges, too."""

    def connect(self) -> str:
        """Choose the first server that answers, and adapt to it; return its version.

        Raises:
            HistoryError: None can be reached, or it refuses us.
        """
        answer = self._send({}, [b"SELECT version() AS version FORMAT JSONEachRow"], _HELLO_S)
        try:
            version = str(orjson.loads(answer)["version"])
            year, month = map(int, version.split(".")[:2])
        except (ValueError, KeyError, TypeError) as error:
            raise HistoryError(
                f"Cannot use the history {self.address}: it answers as ClickHouse does not. Check"
                " the address.",
                is_passing=False,
            ) from error
        self.is_modern = year >= 22
        self.has_text_index = (year, month) >= (26, 2)
        self.can_sync_parts = (year, month) >= (23, 4)
        # Not taken for a part that a dead replica has.
        self._settings = {"insert_deduplicate": "0"}
        if self.is_modern:  # an old server refuses a setting that it does not know
            self._settings["async_insert"] = "0"
        return version

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Fail within seconds what waits for the server, once it answers nobody any more.

        An insert or a wait for replicas may take minutes: their time tells nothing.
        """
        is_done = threading.Event()

        def look() -> None:
            while not is_done.wait(_LOOK_EVERY_S):
                if not self._answers() and not is_done.is_set():
                    self._give_up()
                    return

        threading.Thread(target=look, name="inspector-history-watch", daemon=True).start()
        try:
            yield
        finally:
            is_done.set()

    def run(self, statement: str, most_s: float = TIMEOUT_S) -> None:
        """Run a statement that returns nothing; wait for it for at most `most_s`."""
        self._send({}, [statement.encode()], most_s)

    def rows(self, query: str, *, most_s: int = 0) -> list[dict[str, Any]]:
        """Return the rows of a query; integers of 64 bits are exact.

        Args:
            query: The query.
            most_s: After this time it is given up; 0: after `TIMEOUT_S` without a byte.
        """
        settings = dict(_READING)
        if most_s:
            settings["max_execution_time"] = str(most_s)
        body = [f"{query} FORMAT JSONEachRow".encode()]
        answer = self._send(settings, body, TIMEOUT_S if not most_s else most_s + _CONNECT_S)
        return [orjson.loads(line) for line in answer.splitlines()]

    def stream(self, query: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a query as they arrive; not all of them are in memory."""
        params = dict(_READING)
        body = f"{query} FORMAT JSONEachRow".encode()
        (url,) = self.address.urls()
        try:
            with self._client.stream(
                "POST", url, params=params, content=body, extensions={"trace": self._opened}
            ) as answer:
                if answer.status_code != httpx.codes.OK:
                    answer.read()
                    raise self._refusal(answer)
                left = bytearray()
                for data in answer.iter_bytes():
                    left += data
                    if b"\n" in data:
                        *lines, left = left.split(b"\n")
                        yield from map(orjson.loads, lines)
                if left:  # an error, after the answer had begun
                    yield orjson.loads(left)
        except (httpx.HTTPError, orjson.JSONDecodeError) as error:
            raise self._silent or HistoryError(
                f"The history {self.address} stopped in the middle of an answer: {error}.",
                is_passing=True,
            ) from error

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[bytes]) -> None:
        """Insert rows of `RowBinary`; they are on the server when this returns."""
        statement = f"INSERT INTO {table} ({', '.join(columns)}) FORMAT RowBinary"
        self._send({"query": statement, **self._settings}, rows)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _send(
        self, params: Mapping[str, str], body: Sequence[bytes], timeout_s: float = TIMEOUT_S
    ) -> bytes:
        timeout = httpx.Timeout(timeout_s, connect=_CONNECT_S)
        headers = {"Content-Length": str(sum(map(len, body)))}
        failure: Exception | None = None
        for host, url in zip(self.address.hosts, self.address.urls(), strict=True):
            try:
                answer = self._client.post(
                    url,
                    params=params,
                    headers=headers,
                    content=_in_blocks(body),
                    timeout=timeout,
                    extensions={"trace": self._opened},
                )
            except httpx.HTTPError as error:
                failure = error
                continue
            self.address = replace(self.address, hosts=(host,))
            if answer.status_code != httpx.codes.OK:
                raise self._refusal(answer)
            return answer.content
        why = str(failure) or type(failure).__name__
        raise self._silent or HistoryError(
            f"Cannot reach the history {self.address}: {why}. Is ClickHouse running there?",
            is_passing=True,
        ) from failure

    def _answers(self) -> bool:
        (url,) = self.address.urls()
        try:
            self._client.post(url, content=b"SELECT 1", timeout=_LOOK_S)
        except (httpx.TimeoutException, httpx.ConnectError):
            return False
        except (httpx.HTTPError, RuntimeError):  # it closed an idle connection, or we did
            return True
        return True  # also by a refusal

    def _give_up(self) -> None:
        """End all connections: who waits for an answer, in another thread, waits no longer."""
        with self._opening:
            self._silent = SilentServerError(self.address)
            sockets, self._sockets = self._sockets, []
        for one in sockets:
            _shut_down(one)

    def _opened(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            found = info["return_value"].get_extra_info("socket")
            with self._opening:
                self._sockets = [one for one in self._sockets if one.fileno() >= 0] + [found]
                if self._silent:
                    _shut_down(found)

    def _refusal(self, answer: httpx.Response) -> HistoryError:
        text = answer.text
        named = answer.headers.get("X-ClickHouse-Exception-Code")
        found = _CODE.search(text) if "DB::Exception" in text else None
        code = named or (found and found[1]) or ""
        code = "243" if _FULL in text else code
        why = _SENTENCES.get(code, "").format(database=self.address.database)
        if grant := _GRANT.search(text):
            why = f"a right is missing. Run GRANT {grant[1]} TO `{self.address.user}`"
        if not code and answer.status_code >= 500:
            why = f"what is there answers {answer.status_code}. Is ClickHouse running behind it"
        elif not code:
            why = f"it answers {answer.status_code}, as ClickHouse does not. Check the address"
        why = (why or " ".join(text.split()) or f"code {code}")[:_ERROR_CHARS]
        return HistoryError(
            f"Cannot use the history {self.address}: {why}.",
            is_passing=code in _PASSING or (not code and answer.status_code >= 500),
        )


class Stores:
    """Conditions of the rows of a store, and of those that it was restored from.

    Args:
        own: Id of the store.
        former: Ids of those → the newest change of the backup.
    """

    def __init__(self, own: str, former: Mapping[str, int]) -> None:
        # The newest first: that is the nearest to the own one.
        former = dict(sorted(former.items(), key=lambda one: one[1], reverse=True))
        self.all = f"store IN ({', '.join(map(literal, (own, *former)))})"
        """Every row, also of what a former store got after the backup."""
        mine = f"store = {literal(own)}"
        each = {f"store = {literal(id_)}": head for id_, head in former.items()}
        self.rows = [mine, *(f"{one} AND change <= {head}" for one, head in each.items())]
        """Those of each store, its own first: what comes again in another is not newer."""
        # A newer version of a span may be the only one that is left.
        self.spans = [mine, *(f"{one} AND created <= {head}" for one, head in each.items())]
        self.places = {id_: place for place, id_ in enumerate((own, *former))}
        """Of a span that several have, the first counts."""
        ranks = (f"store = {literal(id_)}, {place}" for id_, place in self.places.items())
        self.order = f"multiIf({', '.join(ranks)}, {len(self.places)})"
        self.any_row, self.any_span = (f"({' OR '.join(one)})" for one in (self.rows, self.spans))


def literal(value: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _shut_down(connection: socket.socket) -> None:
    with suppress(OSError):  # it ended; not by TLS, which would wait for an answer
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _in_blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield `pieces` joined to blocks: neither many calls, nor all of them in memory twice."""
    block, size_bytes = list[bytes](), 0
    for piece in pieces:
        block.append(piece)
        size_bytes += len(piece)
        if size_bytes >= _BLOCK_BYTES:
            yield b"".join(block)
            block, size_bytes = [], 0
    yield b"".join(block)
