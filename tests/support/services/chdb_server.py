"""ClickHouse's HTTP interface in front of the engine in process: `python chdb_server.py FOLDER`.

Runs with an interpreter that has `chdb`, and prints its port. One statement at a time; no users.
"""

from __future__ import annotations

import re
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb import session  # type: ignore[import-not-found]  # in an environment of its own

_INSERT = re.compile(r"INSERT INTO (\w+) \(([^)]*)\) FORMAT RowBinary")
_CODE = re.compile(r"Code: (\d+)")
_SETTINGS = {
    "output_format_json_quote_64bit_integers",
    "async_insert",
    "max_bytes_to_read",
    "max_memory_usage",
    "max_query_size",
    "max_ast_elements",
    "max_expanded_ast_elements",
}


class Handler(BaseHTTPRequestHandler):
    """Runs statements in the engine of the server."""

    protocol_version = "HTTP/1.1"
    engine: session.Session
    lock = threading.Lock()

    def do_POST(self) -> None:
        """Answer one statement, in the query or in the body."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        query = {k: v[-1] for k, v in parse_qs(urlsplit(self.path).query).items()}
        try:
            with self.lock:
                answer = self._run(query, body)
        except RuntimeError as error:
            code = _CODE.search(str(error))
            self._answer(
                500, str(error).encode(), {"X-ClickHouse-Exception-Code": code[1]} if code else {}
            )
        else:
            self._answer(200, answer, {})

    def _run(self, query: dict[str, str], body: bytes) -> bytes:
        self.engine.query(f"USE `{query.get('database', 'default')}`")
        insert = _INSERT.fullmatch(query.get("query", ""))
        settings = ", ".join(f"{k} = {v}" for k, v in query.items() if k in _SETTINGS)
        if insert is None:
            text = body.decode()
            return bytes(
                self.engine.query(
                    f"{text} SETTINGS {settings}" if settings else text, "RowBinary"
                ).bytes()
            )
        table, columns = insert[1], insert[2]
        types = (
            self.engine.query(
                "SELECT name || ' ' || type FROM system.columns"
                f" WHERE database = currentDatabase() AND table = '{table}'"
                f" AND has(splitByString(', ', '{columns}') AS named, name)"
                " ORDER BY indexOf(named, name)",
                "TabSeparatedRaw",
            )
            .bytes()
            .decode()
            .splitlines()
        )
        with tempfile.NamedTemporaryFile() as file:
            file.write(body)
            file.flush()
            structure = ", ".join(types).replace("'", "\\'")
            rows = f"file('{file.name}', 'RowBinary', '{structure}')"
            self.engine.query(f"INSERT INTO {table} ({columns}) SELECT * FROM {rows}")
        return b""

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def main() -> None:
    """Serve until standard input ends."""
    Handler.engine = session.Session(sys.argv[1])
    Handler.engine.query("CREATE DATABASE IF NOT EXISTS inspector")
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
