"""The services that a reader asks, each over HTTP with the token of the installation."""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic, time_ns
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

import httpx
import orjson

from inspector.service.http.problems import ProblemError
from inspector.service.model.times import rfc3339
from inspector.service.model.writer_names import WriterAddress
from inspector.service.otlp.untraced import untraced
from inspector.version import VERSION

ROLE_HEADER = "Inspector-Role"
"""Header of the answers of a reader."""

_log = logging.getLogger("inspector.reader")
_CONNECT_S = 2.0
ANSWER_S = 15.0
"""Time limit of an answer to a list; a search may ask another machine."""
SILENCE_S = 60.0
"""Time in which some of a large answer must come."""
_PAUSE_S = 2.0
"""Time in which a service that could not be reached is not tried again."""
_HUNG_S = 30.0
"""Time in which a list that did not come is not read again: each time would take as long."""
MAX_ANSWER_BYTES = 128 * 2**20
"""Limit of an answer that is changed: it is in memory, and as JSON takes several times as much."""
_LARGE_BYTES = 65_536
_PLAIN = {"Accept": "application/json", "User-Agent": f"inspector-reader/{VERSION}"}

_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout)

Query: TypeAlias = Sequence[tuple[str, str]]


class WriterAwayError(ProblemError):
    """A service does not answer, or not as it should.

    Attributes:
        writer: Its name.
        since_ns: Since when; Unix ns.
    """

    def __init__(self, writer: str, why: str, since_ns: int) -> None:
        super().__init__(
            503,
            "writer_away",
            "Service away",
            f"The service {writer!r} {why}.",
            headers={"Retry-After": "5"},
        )
        self.writer, self.since_ns = writer, since_ns

    def partial(self) -> dict[str, Any]:
        """Return it as what is missing from a list (`wire.Partial`)."""
        return {
            "part": "writer",
            "writer": self.writer,
            "why": self.detail,
            "since": rfc3339(self.since_ns),
        }


class RemoteWriter:
    """One service.

    Attributes:
        name: Its name.
        away: Why it does not answer; None: it did the last time.
        same_as: The name of an earlier one that is the same service; None: there is none.
    """

    def __init__(self, address: WriterAddress, client: httpx.AsyncClient, token: str) -> None:
        self.name = address.name
        self._base_path = httpx.URL(address.url).path.rstrip("/")
        self.away: WriterAwayError | None = None
        self.same_as: str | None = None
        self._url, self._client = address.url, client
        self._headers = {**_PLAIN, "Authorization": f"Bearer {token}"}
        self._closed_until_s = 0.0
        self._hung: dict[tuple[str, bool], tuple[float, WriterAwayError]] = {}
        """Until when a list is not read again, and why; by its path, and whether it is a search."""

    async def read(self, path: str, query: Query = ()) -> Any:
        """Return the JSON at `path`.

        A list that did not come is not read for `_HUNG_S`, though others answer and the stream
        lives: so long, at most, it is missing after the service is well again. A query or an order
        that takes long says nothing about the plain list.

        Raises:
            WriterAwayError: It does not answer, or fails.
            ProblemError: It refuses what was asked.
        """
        is_search = any(k == "q" or (k == "sort" and v != "-started") for k, v in query if v)
        if (path, is_search) in self._hung:
            until_s, hung = self._hung[path, is_search]
            if monotonic() < until_s:
                raise hung.with_traceback(None)
        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await self.send("GET", path, query)
                body = await self.body(answer)
        except TimeoutError as error:
            away = self.failed(f"has not answered for {ANSWER_S:.0f} s")
            self._hung[path, is_search] = monotonic() + _HUNG_S, away
            raise away from error
        if answer.status_code != 200:
            raise self._refusal(answer, body)
        try:
            decoded = await _decoded(body)
        except orjson.JSONDecodeError:
            decoded = None
        if not isinstance(decoded, dict):
            raise self.failed("is not Inspector: check its address")
        self.away = None
        self._hung.pop((path, is_search), None)
        return decoded

    async def send(
        self,
        method: str,
        path: str,
        query: Query | bytes = (),
        *,
        headers: Mapping[str, str] | None = None,
        content: Any = None,
        timeout_s: float | None = None,
    ) -> httpx.Response:
        """Send a request; return the answer with a body that is not read yet.

        Raises:
            WriterAwayError: It does not answer, does not accept the token, is a reader, or has
                two names.
        """
        url = httpx.URL(f"{self._url}{path}")
        if isinstance(query, bytes):
            url = url.copy_with(query=query)
        elif query:
            url = url.copy_merge_params(httpx.QueryParams(list(query)))
        request = self._client.build_request(
            method,
            url,
            headers={**self._headers, **(headers or {})},
            content=content,
            timeout=httpx.Timeout(timeout_s, connect=_CONNECT_S),
        )
        if self.same_as is not None and path != "/events":  # which tell when it is another
            raise self.is_same_as(self.same_as)
        is_change = method not in ("GET", "HEAD")
        if self.away is not None and not is_change and monotonic() < self._closed_until_s:
            raise self.away.with_traceback(None)
        with untraced():
            try:
                answer = await self._client.send(request, stream=True)
            except (httpx.HTTPError, RuntimeError) as error:  # closed: the reader ends
                reason = str(error) or type(error).__name__
                away = self.failed(f"does not answer at {self._url}: {reason}")
                self._closed_until_s = monotonic() + _PAUSE_S
                if not is_change or isinstance(error, _NOT_SENT):
                    raise away from error
                raise ProblemError(
                    504,
                    "may_have_acted",
                    "Outcome unknown",
                    f"{away.detail} It may have acted nevertheless: look before you try again.",
                ) from error
        why = None
        if ROLE_HEADER in answer.headers:
            why = "is a reader: name the services that store, in INSPECTOR_WRITERS"
        elif answer.status_code == 401:
            why = "does not accept the token of INSPECTOR_WRITER_TOKENS, or else INSPECTOR_TOKEN"
        if why is not None:
            await answer.aclose()
            raise self.failed(why)
        return answer

    async def body(self, answer: httpx.Response) -> bytes:
        """Read an answer whole.

        Raises:
            WriterAwayError: It is too large, or the connection ends before.
        """
        body = bytearray()
        try:
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > MAX_ANSWER_BYTES:
                    raise self.failed(f"answers with more than {MAX_ANSWER_BYTES >> 20} MB")
        except httpx.HTTPError as error:
            raise self.failed("ended the connection") from error
        finally:
            await answer.aclose()
        return bytes(body)

    async def lines(self, answer: httpx.Response) -> AsyncIterator[bytes]:
        """Yield the lines of an answer, without their ends.

        Raises:
            WriterAwayError: One is too long.
        """
        rest = bytearray()
        async for piece in answer.aiter_bytes():
            *ends, last = piece.split(b"\n")
            for end in ends:
                yield bytes(rest) + end
                rest.clear()
            rest += last
            if len(rest) > MAX_ANSWER_BYTES:
                raise self.failed("answers with a line that has no end")
        if rest:
            yield bytes(rest)

    def target(self, answer: httpx.Response, route: re.Pattern[str]) -> str:
        """Return the own id of the session that an answer leads to.

        Raises:
            WriterAwayError: It leads to another route.
        """
        path = unquote(urlsplit(answer.headers.get("location", "")).path)
        found = route.match(path.removeprefix(self._base_path))
        if found is None:
            raise self.failed("leads to somewhere else")
        return found["session_id"]

    def _refusal(self, answer: httpx.Response, body: bytes) -> ProblemError:
        try:
            problem = orjson.loads(body)
            detail, code = str(problem["detail"]), str(problem["code"])
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return self.failed(f"answers {answer.status_code}, as Inspector does not")
        # The rest every service answers alike.
        if answer.status_code not in (400, 422) or code == "too_many_sessions":
            return self.failed(f"cannot answer: {detail.rstrip('.')}")
        place = (problem["position"], problem.get("length", 0)) if "position" in problem else None
        return ProblemError(
            answer.status_code,
            code,
            str(problem.get("title", "")),
            detail,
            place=place,
            suggestion=problem.get("suggestion"),
        )

    def answered(self) -> None:
        """Note a sign of life."""
        self.away, self.same_as, self._closed_until_s = None, None, 0.0

    def is_same_as(self, same_as: str) -> WriterAwayError:
        """Note that this is the service with another name, too, and return it as an error."""
        self.same_as = same_as
        return self.failed(f"is the same service as {same_as!r}: name each once")

    def failed(self, why: str) -> WriterAwayError:
        """Note why the service does not answer, and return it as an error."""
        since_ns = self.away.since_ns if self.away is not None else time_ns()
        if self.away is None:
            _log.warning("The service %r %s.", self.name, why)
        self.away = WriterAwayError(self.name, why, since_ns)
        return self.away


@dataclass(frozen=True)
class Gathered:
    """The answers of several services to one question."""

    answers: dict[str, Any]
    """By the name of the service, in the order of the setting."""
    partial: list[dict[str, Any]]
    """What is missing, and what the services say is missing (`wire.Partial`)."""


class Fleet:
    """All services of a reader.

    Args:
        addresses: Where they are.
        token: The token of those that have none of their own.
        tokens: By name.
    """

    def __init__(
        self, addresses: Sequence[WriterAddress], token: str, tokens: Mapping[str, str]
    ) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=50)
        # The CAs of the system, or of `SSL_CERT_FILE`, as commands and agents trust; no proxy.
        trusted = ssl.create_default_context()
        self._client = httpx.AsyncClient(limits=limits, trust_env=False, verify=trusted)
        self.writers = {
            one.name: RemoteWriter(one, self._client, tokens.get(one.name, token))
            for one in addresses
        }

    @property
    def distinct(self) -> dict[str, RemoteWriter]:
        """Those that no earlier one is the same as."""
        return {name: one for name, one in self.writers.items() if one.same_as is None}

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def gather(self, path: str, query_of: Callable[[str], Query | None]) -> Gathered:
        """Ask all services at once.

        Args:
            path: Of a route that answers an object.
            query_of: Returns the query for a name; None: it is not asked.

        Raises:
            ProblemError: One refuses what was asked, or none answers.
        """
        targets = [(name, query) for name in self.writers if (query := query_of(name)) is not None]
        found = await asyncio.gather(
            *(self.writers[name].read(path, query) for name, query in targets),
            return_exceptions=True,
        )
        answers: dict[str, Any] = {}
        stores: dict[str, str] = {}
        partial: list[dict[str, Any]] = []
        for (name, _), one in zip(targets, found, strict=True):
            if isinstance(one, WriterAwayError):
                partial.append(one.partial())
            elif isinstance(one, BaseException):
                raise one
            elif store := stores.get(_store_of(one)):
                partial.append(self.writers[name].is_same_as(store).partial())
            else:
                stores[_store_of(one)], answers[name] = name, one
                partial += ({**part, "writer": name} for part in one.get("partial", ()))
        if targets and not answers:
            raise next(one for one in found if isinstance(one, WriterAwayError))
        return Gathered(answers, partial)


def _store_of(answer: Mapping[str, Any]) -> str:
    """Return the id of the store that a list is of; of what has no position, its own."""
    position = str(answer.get("as_of") or f"{id(answer)}.")
    return position.rpartition(".")[0]


async def _decoded(body: bytes) -> Any:
    """Return JSON; one that is large is read beside the loop, which serves streams."""
    return (
        await asyncio.to_thread(orjson.loads, body)
        if len(body) > _LARGE_BYTES
        else orjson.loads(body)
    )
