"""A client of ClickHouse's HTTP interface: statements, queries and inserts of `RowBinary`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import httpx
import orjson

from inspector.errors import InspectorError
from inspector.service.history.address import HistoryAddress

TIMEOUT_S = 60.0
_CONNECT_S = 5.0
_BLOCK_BYTES = 128 * 1024
_ERROR_CHARS = 400
_CODE = re.compile(r"Code:? (\d+)")
_SENTENCES = {
    "60": "a table is missing. Restart the service, which creates it",
    "81": "the database does not exist. Create it: `CREATE DATABASE {database}`",
    "164": "the user may not write. Name another user, or grant INSERT and CREATE",
    "192": "the user is unknown. Check the name in INSPECTOR_HISTORY",
    "193": "the password is wrong. Check INSPECTOR_HISTORY_PASSWORD",
    "194": "the user needs a password. Set INSPECTOR_HISTORY_PASSWORD",
    "497": "the user may not write. Grant INSERT, SELECT, CREATE and ALTER on {database}",
    "516": "the user is unknown, or the password is wrong. Check INSPECTOR_HISTORY_PASSWORD",
}
"""What an error of a code means, and what to do."""
_PASSING = frozenset({"159", "202", "209", "210", "241", "242", "252", "285", "319", "999"})
"""Codes of what passes by itself: timeouts, too much at once, replicas that are not there."""


class HistoryError(InspectorError):
    """The history cannot be used.

    Attributes:
        is_passing: Whether it may work again without anybody doing something.
    """

    code = "history_unavailable"

    def __init__(self, message: str, *, is_passing: bool) -> None:
        super().__init__(message)
        self.is_passing = is_passing


class ClickHouse:
    """One database, on the first of its servers that answers. Not for several threads."""

    def __init__(self, address: HistoryAddress, password: str = "") -> None:
        self._address = address
        self._urls = address.urls()
        self._client = httpx.Client(
            headers={"X-ClickHouse-User": address.user, "X-ClickHouse-Key": password},
            params={"database": address.database},
            timeout=httpx.Timeout(TIMEOUT_S, connect=_CONNECT_S),
            trust_env=False,
        )
        self._settings: dict[str, str] = {}
        self.is_modern = False
        """Whether the server has maps, and inserts that return before they are done."""

    def connect(self) -> str:
        """Return the version of the server, and adapt to it.

        Raises:
            HistoryError: It cannot be reached, or refuses us.
        """
        version = str(self.rows("SELECT version() AS version")[0]["version"])
        self.is_modern = int(version.partition(".")[0]) >= 22
        # An old server refuses a setting that it does not know.
        self._settings = {"async_insert": "0"} if self.is_modern else {}
        return version

    def run(self, statement: str) -> None:
        """Run a statement that returns nothing."""
        self._send({}, [statement.encode()])

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Return the rows of a query; integers of 64 bits are exact."""
        settings = {"output_format_json_quote_64bit_integers": "0"}
        answer = self._send(settings, [f"{query} FORMAT JSONEachRow".encode()])
        return [orjson.loads(line) for line in answer.splitlines()]

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[bytes]) -> None:
        """Insert rows of `RowBinary`; they are on the server when this returns."""
        statement = f"INSERT INTO {table} ({', '.join(columns)}) FORMAT RowBinary"
        self._send({"query": statement, **self._settings}, rows)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _send(self, params: Mapping[str, str], body: Sequence[bytes]) -> bytes:
        headers = {"Content-Length": str(sum(map(len, body)))}
        failure: Exception | None = None
        for _ in self._urls:
            try:
                answer = self._client.post(
                    self._urls[0], params=params, headers=headers, content=_in_blocks(body)
                )
            except httpx.HTTPError as error:
                failure = error
                self._urls.append(self._urls.pop(0))  # the next one, from now on
                continue
            if answer.status_code != httpx.codes.OK:
                raise self._refusal(answer)
            return answer.content
        why = str(failure) or type(failure).__name__
        raise HistoryError(
            f"Cannot reach the history {self._address}: {why}. Is ClickHouse running there?",
            is_passing=True,
        ) from failure

    def _refusal(self, answer: httpx.Response) -> HistoryError:
        text = answer.text
        named = answer.headers.get("X-ClickHouse-Exception-Code")
        code = named or ((found := _CODE.search(text)) and found[1]) or ""
        sentence = _SENTENCES.get(code, "").format(database=self._address.database)
        why = sentence or " ".join(text.split())[:_ERROR_CHARS] or f"HTTP {answer.status_code}"
        return HistoryError(
            f"Cannot use the history {self._address}: {why}.",
            is_passing=code in _PASSING or (not code and answer.status_code >= 500),
        )


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
