"""The rules of sessions: their sums, titles, status and times. Pure, no I/O.

A trace and a session are described by the same two things. A `Tally` is a sum over spans, so a
changed span is subtracted and added again, and a trace moves with its tally. A
`Profile` only ever grows more certain (earliest, latest, best), so order of arrival is no matter.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.records import SpanRecord, is_silent
from inspector.service.model.rows import Engine, SessionRow, SessionStatus, SpanKind, SpanStatus
from inspector.service.model.waits import Interval, before, length_ns, merged
from inspector.service.normalise.kinds import calls_tool
from inspector.service.normalise.session_ids import session_id
from inspector.service.sessions.run_time import Idle, RunTime

SECOND_NS = 1_000_000_000
SETTLE_NS = 5 * SECOND_NS
"""Time after the end of its root in which a session without live records may still grow."""
SILENCE_NS = 600 * SECOND_NS
"""Silence after which a session without live records counts as lost."""
MAX_TITLE = 200
"""Limit of the characters of a title."""
MAX_NAMES = 50
"""Limit of the models, services, agents, tags or users that a session lists."""

MCP_PROCESS_RANK, MCP_CONNECTION_RANK = 998, 997
"""Ranks of the session keys of a trace that is only about MCP."""
NO_KEY_RANK = 999
"""Rank of a fallback session key, such as the trace id: any other is better."""
REQUEST_WAIT = "request:"
"""Prefix of the key of a wait for a request; the request's id follows."""

SETTLED = frozenset(
    {
        SessionStatus.LOST,
        SessionStatus.FAILED,
        SessionStatus.CANCELLED,
        SessionStatus.COMPLETED,
    }
)
_NANODOLLARS = 1_000_000_000
_MAX_INTERVALS = 2_000
"""Limit of the waits of a session that are stored singly; above it, the older half is summed up."""
_MAX_RUN_TIME = 64
"""Limit of the intervals of a run time that is stored with the session's state."""
_OUTCOMES = {
    SpanStatus.ERROR: SessionStatus.FAILED,
    SpanStatus.CANCELLED: SessionStatus.CANCELLED,
}


@dataclass(slots=True)
class Tally:
    """Sums over spans, in whole numbers, so that subtraction is exact."""

    span_count: int = 0
    open_count: int = 0
    silent_open_count: int = 0
    """Open spans of senders without heartbeats."""
    lost_count: int = 0
    error_count: int = 0
    llm_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_nanodollars: int = 0
    costed_count: int = 0
    dropped_count: int = 0

    def count(self, spans: Iterable[SpanRecord], sign: int = 1) -> None:
        """Add spans (`sign` 1) or subtract them (-1).

        A duplicate is no second call and no second error; its usage may be the one that counts.
        """
        for span in spans:
            kind = span.kind
            self.span_count += sign
            self.dropped_count += sign * span.dropped_count
            if span.end_ns is None:
                self._count_open(span, sign)
            if span.duplicate_of is None:
                if span.status is SpanStatus.ERROR:
                    self.error_count += sign
                if kind is SpanKind.LLM:
                    self.llm_calls += sign
                elif calls_tool(kind, span.name):
                    self.tool_calls += sign
            if span.is_counted:
                self._count_usage(span, sign)

    def _count_open(self, span: SpanRecord, sign: int) -> None:
        if span.status is SpanStatus.LOST:
            self.lost_count += sign * (span.duplicate_of is None)
            return
        self.open_count += sign
        if is_silent(span.process_id):
            self.silent_open_count += sign

    def _count_usage(self, span: SpanRecord, sign: int) -> None:
        self.input_tokens += sign * (span.input_tokens or 0)
        self.output_tokens += sign * (span.output_tokens or 0)
        if span.cost_usd is not None:
            self.cost_nanodollars += sign * round(span.cost_usd * _NANODOLLARS)
            self.costed_count += sign

    def add(self, other: Tally, sign: int = 1) -> None:
        """Add or subtract a whole tally."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + sign * getattr(other, name))

    def copy(self) -> Tally:
        """Return a copy."""
        same = Tally()
        same.add(self)
        return same

    @property
    def cost_usd(self) -> float | None:
        """The cost; None when nothing carried one."""
        return self.cost_nanodollars / _NANODOLLARS if self.costed_count else None


# How good a title is: the lower rank wins, then the earlier span (of set titles the later).
TITLE_SET, _TITLE_MESSAGE, _TITLE_ROOT, _TITLE_SPAN = range(4)
_TITLE_METHOD, _TITLE_SETUP, _TITLE_NONE = range(4, 7)
# Of a call over MCP the span inside may name what is called (FastMCP's own around it does not).
_METHOD = re.compile(r"(?:^|\s)(?:tools/call|prompts/get|resources/read)$")
# MCP's set-up is no subject of a session.
_SETUP = re.compile(
    r"(?:^|\s)(?:initialize|ping|server/discover|logging/setLevel|\S+/list|notifications/\S+)$"
)


@dataclass(slots=True)
class Root:
    """The root span that ended last."""

    end_ns: int
    start_ns: int
    status: SpanStatus


@dataclass(slots=True)
class Profile:
    """The known properties beside the sums."""

    started_ns: int | None = None
    latest_ns: int = 0
    title: str = ""
    title_rank: int = _TITLE_NONE
    title_ns: int = 0
    root: Root | None = None
    engine: Engine | None = None
    is_live: bool = False
    """Whether its sender reports starts of spans."""
    models: list[str] = field(default_factory=list)
    services: list[str] = field(default_factory=list)
    agents: dict[str, int] = field(default_factory=dict)
    """Agent → its first start (Unix ns)."""
    tags: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    has_mcp: bool = False

    def see(self, span: SpanRecord, incoming: IncomingSpan) -> None:
        """Learn from a span."""
        self._see_time(span.start_ns, span.end_ns or span.start_ns)
        self._see_titles(span, incoming)
        if span.is_root and span.end_ns is not None:
            self._see_root(Root(span.end_ns, span.start_ns, span.status))
        self.engine = self.engine or incoming.engine
        if span.model and span.model not in self.models:
            _extend(self.models, (span.model,))
        if incoming.service and incoming.service not in self.services:
            _extend(self.services, (incoming.service,))
        if incoming.agent:
            self._see_agent(incoming.agent, span.start_ns)
        self.has_mcp = self.has_mcp or incoming.is_mcp or span.kind is SpanKind.MCP
        self.see_owner(incoming)

    def see_owner(self, incoming: IncomingSpan) -> None:
        """Learn whose the session is, and what it is tagged with."""
        if incoming.tags:
            _extend(self.tags, incoming.tags)
        if incoming.user and incoming.user not in self.users:
            _extend(self.users, (incoming.user,))

    def see_time(self, time_ns: int) -> None:
        """Learn that something happened."""
        self._see_time(time_ns, time_ns)

    def see_title(self, title: str, time_ns: int) -> None:
        """Learn the title that the sender chose; the latest such wins."""
        self._see_title(TITLE_SET, title, time_ns)

    def see_message(self, text: str, time_ns: int) -> None:
        """Learn the first text of a user, as far as this record shows."""
        self._see_title(_TITLE_MESSAGE, text, time_ns)

    def join(self, other: Profile) -> None:
        """Learn everything from `other`."""
        if other.started_ns is not None:
            self._see_time(other.started_ns, other.latest_ns)
        self._see_title(other.title_rank, other.title, other.title_ns)
        if other.root is not None:
            self._see_root(other.root)
        self.engine = self.engine or other.engine
        self.is_live = self.is_live or other.is_live
        self.has_mcp = self.has_mcp or other.has_mcp
        for agent, start_ns in other.agents.items():
            self._see_agent(agent, start_ns)
        for name in ("models", "services", "tags", "users"):
            _extend(getattr(self, name), getattr(other, name))

    def _see_time(self, first_ns: int, last_ns: int) -> None:
        if self.started_ns is None or first_ns < self.started_ns:
            self.started_ns = first_ns
        if last_ns > self.latest_ns:
            self.latest_ns = last_ns

    def _see_titles(self, span: SpanRecord, incoming: IncomingSpan) -> None:
        if incoming.title:
            self._see_title(TITLE_SET, incoming.title, span.start_ns)
        if incoming.first_user_message:
            self._see_title(_TITLE_MESSAGE, incoming.first_user_message, span.start_ns)
        rank = _TITLE_ROOT if span.is_root else _TITLE_SPAN
        if (rank, span.start_ns) > (self.title_rank, self.title_ns) and self.title:
            return  # what its name is about may only make it a worse title
        if _METHOD.search(span.name):
            rank = _TITLE_METHOD
        elif _SETUP.search(span.name):
            rank = _TITLE_SETUP
        self._see_title(rank, span.name, span.start_ns)

    def _see_title(self, rank: int, title: str, time_ns: int) -> None:
        if not title or rank > self.title_rank:
            return
        is_better = rank < self.title_rank or not self.title
        if rank == TITLE_SET:
            is_better = is_better or time_ns >= self.title_ns
        else:
            is_better = is_better or time_ns <= self.title_ns
        if is_better:
            self.title, self.title_rank, self.title_ns = title[:MAX_TITLE], rank, time_ns

    def _see_agent(self, name: str, start_ns: int) -> None:
        """Keep the agents that began first: a sub-agent is reported before its caller."""
        self.agents[name] = min(start_ns, self.agents.get(name, start_ns))
        if len(self.agents) > MAX_NAMES:
            del self.agents[self.agents_by_start()[-1]]

    def agents_by_start(self) -> list[str]:
        """Return their names."""
        if len(self.agents) < 2:
            return list(self.agents)
        return sorted(self.agents, key=lambda name: (self.agents[name], name))

    def _see_root(self, root: Root) -> None:
        if self.root is None or root.end_ns >= self.root.end_ns:
            self.root = root


def _extend(names: list[str], more: Iterable[str | None]) -> None:
    for name in more:
        if name and name not in names and len(names) < MAX_NAMES:
            names.append(name)


def mcp_session(process_id: str) -> str:
    """Return the session of a process's MCP spans that name no connection."""
    return session_id(f"mcp-{process_id}")


@dataclass(slots=True)
class TraceState:
    """The state of a trace that the rules continue from."""

    trace_id: str
    session_id: str | None = None
    rank: int = 1_000_000
    """Rank of the session key's source; lower is better."""
    tally: Tally = field(default_factory=Tally)
    profile: Profile = field(default_factory=Profile)
    paused_spans: set[str] = field(default_factory=set)
    """Spans with pauses, arrived or not."""
    usage_ancestors: set[str] = field(default_factory=set)
    """Spans with usage below them, arrived or not: theirs is not counted."""
    inner_spans: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    """Inner spans that wait for the end of the outer one: outer → kind → span → duration (ns)."""
    responses: dict[str, list[str]] = field(default_factory=dict)
    """Spans of the last LLM calls, by response id."""
    root_process: str | None = None
    """The process of its first span; before that arrived, the session may be for the time being."""
    mcp_root: str | None = None
    """The process of its first span, if that is about MCP."""
    connections: dict[str, str | None] = field(default_factory=dict)
    """Client process → the MCP connection that it names, if any."""
    answering: dict[str, str | None] = field(default_factory=dict)
    """The same by server process. Both ends may be in one process."""
    seen_ns: int = 0
    """When the service first saw it (Unix ns); 0: before this was noted."""
    since: int = 0
    """The lowest change that anything of it may have: one may begin again after a deletion."""

    def see_mcp(self, incoming: IncomingSpan) -> None:
        """Learn from a span about MCP."""
        process_id = incoming.record.process_id
        if incoming.record.parent_span_id is None:
            self.mcp_root = process_id
        is_answer = incoming.span_kind == Span.SPAN_KIND_SERVER
        ends = self.answering if is_answer else self.connections
        is_room = process_id in ends or len(ends) < MAX_NAMES
        if is_room and ends.get(process_id) is None:
            ends[process_id] = incoming.connection_id

    def mcp_key(self, process_id: str) -> tuple[int, str] | None:
        """Return the session key of a trace that begins with a call over MCP.

        The connection of the process that began it; else that process, if it is this one and
        named itself.
        """
        if self.mcp_root is None:
            return None
        connection_id = self.connections.get(self.mcp_root) or self.answering.get(self.mcp_root)
        if connection_id is not None:
            return MCP_CONNECTION_RANK, connection_id
        if process_id != self.mcp_root or is_silent(process_id):
            return None
        return MCP_PROCESS_RANK, mcp_session(process_id)

    def dump(self) -> bytes:
        """Return the state as JSON; `usage_ancestors` are stored apart."""
        return orjson.dumps(
            {
                "rank": self.rank,
                "tally": self.tally,
                "profile": self.profile,
                "paused_spans": sorted(self.paused_spans),
                "inner_spans": self.inner_spans,
                "responses": self.responses,
                "root_process": self.root_process,
                "mcp_root": self.mcp_root,
                "connections": self.connections,
                "answering": self.answering,
                "seen_ns": self.seen_ns,
                "since": self.since,
            }
        )

    @classmethod
    def load(
        cls, trace_id: str, session_id: str | None, dumped: bytes, ancestors: set[str]
    ) -> TraceState:
        """Return the state from the JSON of `dump`."""
        state = orjson.loads(dumped)
        return cls(
            trace_id=trace_id,
            session_id=session_id,
            rank=state["rank"],
            tally=_load_tally(state["tally"]),
            profile=_load_profile(state["profile"]),
            paused_spans=set(state["paused_spans"]),
            inner_spans=state.get("inner_spans", {}),  # stores of before have none
            responses=state.get("responses", {}),
            root_process=state.get("root_process"),
            mcp_root=state.get("mcp_root"),
            connections=state.get("connections", {}),
            answering=state.get("answering", {}),
            seen_ns=state.get("seen_ns", 0),
            since=state.get("since", 0),
            usage_ancestors=ancestors,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a session: the fields of its row by these names."""

    cause: str | None = None
    cause_key: str | None = None
    cause_span: str | None = None
    answer: str | None = None


_NO_OUTCOME = Outcome()


@dataclass(slots=True)
class SessionState:
    """The state of a session that the rules continue from."""

    id: str
    epoch_ns: int
    tally: Tally = field(default_factory=Tally)
    profile: Profile = field(default_factory=Profile)
    open_waits: dict[str, int] = field(default_factory=dict)
    """Open waits: key (a span, or a request) → start (Unix ns)."""
    waited: dict[str, list[Interval]] = field(default_factory=dict)
    """Ended waits: key (one span, or the whole session) → intervals."""
    waited_before_ns: int = 0
    """Waiting time that is summed up: all of it lies before `summed_until_ns`."""
    summed_until_ns: int = 0
    declared_ns: int | None = None
    """The last `inspector.session.started`."""
    owner: str = ""
    """The process that declared it."""
    finished_ns: int | None = None
    """The last `inspector.session.finished`."""
    finished_status: str = ""
    is_ended_script: bool = False
    """Whether its script said how it ends: then workers that it killed are no loss."""
    is_declared: bool = False
    """Whether a session record named it, so that it stays when its traces go."""
    pauses: dict[str, int] = field(default_factory=dict)
    """Process held by an operator → start of the hold (Unix ns)."""
    heard_ns: int = 0
    """Time of its last arrival, by the service's clock."""
    lost_ns: int = 0
    """The last sign of life of the processes whose spans were lost, by the service's clock."""
    run_time: RunTime | None = field(default_factory=RunTime)
    """Run time of its spans; None: it has to be read from them."""
    outcome: Outcome | None = None
    """What came of it when it was last over; None: it has to be read from its spans."""

    def dump(self) -> bytes:
        """Return the state as JSON; without a long run time, which each commit would write."""
        is_long = self.run_time is not None and self.run_time.size > _MAX_RUN_TIME
        return orjson.dumps(replace(self, run_time=None) if is_long else self)

    @classmethod
    def load(cls, dumped: bytes) -> SessionState:
        """Return the state from the JSON of `dump`."""
        state = orjson.loads(dumped)
        profile = _load_profile(state["profile"])
        if "waited" not in state:  # stores of before have sums
            state["waited_before_ns"] = sum(
                (state["tally"].get("waiting_ns", 0), *state.pop("loose_waits", {}).values())
            )
            state["summed_until_ns"] = profile.latest_ns
        run_time = state.get("run_time")  # stores of before have none
        outcome = state.get("outcome")
        read = {
            "tally": _load_tally(state["tally"]),
            "profile": profile,
            "run_time": None if run_time is None else RunTime(**run_time),
            "outcome": None if outcome is None else Outcome(**outcome),
        }
        return cls(**{**state, **read})

    def wait(self, key: str, intervals: Sequence[Interval]) -> None:
        """Replace the waits of `key`."""
        over: list[Interval] = [
            (max(start, self.summed_until_ns), end)
            for start, end in before(intervals, None)
            if end is not None and end > self.summed_until_ns
        ]
        self.waited.pop(key, None)
        if over:
            self.waited[key] = over
            if sum(map(len, self.waited.values())) > _MAX_INTERVALS:
                self._sum_up()

    @property
    def waiting_ns(self) -> int:
        """The time in which any span waited, up to the start of a wait that goes on."""
        if not self.waited:  # most never do
            return self.waited_before_ns
        since_ns = min(self.open_waits.values(), default=None)
        everywhere = itertools.chain.from_iterable(self.waited.values())
        return self.waited_before_ns + length_ns(merged(before(everywhere, since_ns)))

    def _sum_up(self) -> None:
        apart = merged(itertools.chain.from_iterable(self.waited.values()))
        older = apart[: (len(apart) + 1) // 2]
        self.waited_before_ns += length_ns(older)
        self.summed_until_ns = older[-1][1] or self.summed_until_ns
        rest = {
            key: [interval for interval in intervals if interval[0] > self.summed_until_ns]
            for key, intervals in self.waited.items()
        }
        self.waited = {key: intervals for key, intervals in rest.items() if intervals}

    @property
    def is_owned(self) -> bool:
        """Whether it is declared and not finished: it runs as long as its process lives."""
        if self.declared_ns is None:
            return False
        return self.finished_ns is None or self.finished_ns < self.declared_ns

    @property
    def is_assumed(self) -> bool:
        """Whether it runs only because no end was reported."""
        has_live_spans = self.tally.open_count > self.tally.silent_open_count
        return not has_live_spans and not (self.is_owned and self.owner)

    @property
    def title(self) -> str:
        """The title: the id, until something better is known."""
        return self.profile.title or self.id

    def row(self, status: SessionStatus) -> SessionRow:
        """Return the line of the session list."""
        tally, profile = self.tally, self.profile
        started_ns = self.epoch_ns if profile.started_ns is None else profile.started_ns
        engine = profile.engine or (Engine.ASYNCIO if profile.is_live else Engine.OTLP)
        is_waiting = status is SessionStatus.WAITING
        may_be_paused = is_waiting or status is SessionStatus.PAUSED
        is_running = status is SessionStatus.RUNNING
        ended_ns = max(profile.latest_ns, started_ns) if status in SETTLED else None
        idle = self._idle(started_ns, ended_ns)
        if ended_ns is not None and status is SessionStatus.LOST:
            ended_ns = max(ended_ns, self.lost_ns)  # until then, what was lost ran
        outcome = (ended_ns is not None and self.outcome) or _NO_OUTCOME
        return SessionRow(
            id=self.id,
            title=self.title,
            status=status,
            engine=engine,
            epoch_ns=self.epoch_ns,
            started_ns=started_ns,
            ended_ns=ended_ns,
            waiting_ns=self.waiting_ns,
            waiting_since_ns=min(self.open_waits.values()) if is_waiting else None,
            paused_since_ns=min(self.pauses.values(), default=None) if may_be_paused else None,
            silent_since_ns=self.heard_ns or None if is_running and self.is_assumed else None,
            idle_ns=idle.ns,
            idle_since_ns=idle.since_ns,
            span_count=tally.span_count,
            error_count=tally.error_count,
            llm_calls=tally.llm_calls,
            tool_calls=tally.tool_calls,
            input_tokens=tally.input_tokens,
            output_tokens=tally.output_tokens,
            cost_usd=tally.cost_usd,
            models=tuple(profile.models),
            services=tuple(profile.services),
            agents=tuple(profile.agents_by_start()),
            tags=tuple(profile.tags),
            users=tuple(profile.users),
            has_mcp=profile.has_mcp,
            dropped_count=tally.dropped_count,
            cause=outcome.cause,
            cause_key=outcome.cause_key,
            cause_span=outcome.cause_span,
            answer=outcome.answer,
        )

    def _idle(self, started_ns: int, ended_ns: int | None) -> Idle:
        if self.run_time is None or not self.tally.span_count:
            return Idle(0)
        waited = list(itertools.chain.from_iterable(self.waited.values())) if self.waited else []
        if self.open_waits:
            waited += ((since_ns, None) for since_ns in self.open_waits.values())
        # A session without a root will have one.
        is_open = self.profile.root is None
        return self.run_time.idle(started_ns, ended_ns, waited, is_open=is_open)


def _load_tally(state: dict[str, int]) -> Tally:
    return Tally(**{name: count for name, count in state.items() if name != "waiting_ns"})


def _load_profile(state: dict[str, Any]) -> Profile:
    root, engine, agents = state["root"], state["engine"], state["agents"]
    if root is not None:
        root = Root(root["end_ns"], root["start_ns"], SpanStatus(root["status"]))
    if isinstance(agents, list):  # stores of before do not say when
        agents = {name: (state["started_ns"] or 0) + n for n, name in enumerate(agents)}
    read = {"root": root, "engine": None if engine is None else Engine(engine), "agents": agents}
    # Stores of before do not say whether there was any MCP.
    return Profile(**{"has_mcp": True, **state, **read})


def status_of(
    session: SessionState,
    now_ns: int,
    heard_ns: int,
    *,
    is_owner_alive: bool,
    is_paused: bool = False,
) -> tuple[SessionStatus, int | None]:
    """Return the status, and when (Unix ns) it may change without news; None: never.

    Args:
        session: Its state.
        now_ns: The service's clock.
        heard_ns: Its last arrival, by the same clock.
        is_owner_alive: The process that declared it lives.
        is_paused: A living process of it holds, by order of a person.
    """
    is_guarded = session.tally.open_count > 0 or (session.is_owned and is_owner_alive)
    silent_ns = heard_ns + SILENCE_NS
    # An open request is known to be open: it is lost together with its process.
    is_sure = is_guarded or any(key.startswith(REQUEST_WAIT) for key in session.open_waits)
    if session.open_waits and (is_sure or now_ns < silent_ns):
        return SessionStatus.WAITING, None if is_sure else silent_ns
    if is_paused:
        return SessionStatus.PAUSED, None
    if is_guarded:
        return SessionStatus.RUNNING, None
    return _unguarded_status(session, now_ns, heard_ns)


def _unguarded_status(
    session: SessionState, now_ns: int, heard_ns: int
) -> tuple[SessionStatus, int | None]:
    root, finished_ns = session.profile.root, session.finished_ns
    # A run that began after the session had finished speaks for itself.
    is_finished = finished_ns is not None and (root is None or root.start_ns <= finished_ns)
    if session.tally.lost_count and not _is_over_since(session, is_finished):
        return SessionStatus.LOST, None
    if root is None and not is_finished:
        is_abandoned = session.is_owned and session.profile.is_live
        outcome, due_ns = SessionStatus.LOST, heard_ns if is_abandoned else heard_ns + SILENCE_NS
    else:
        is_prompt = session.profile.is_live or is_finished
        outcome = _outcome(session, is_finished)
        due_ns = heard_ns if is_prompt else heard_ns + SETTLE_NS
    return (SessionStatus.RUNNING, due_ns) if now_ns < due_ns else (outcome, None)


def _is_over_since(session: SessionState, is_finished: bool) -> bool:
    """Return whether the session ended after something of it was lost.

    Either the script as a whole, or a run that began later: a conversation goes on after a crash.
    """
    if is_finished:
        return session.is_ended_script or 0 < session.lost_ns < (session.declared_ns or 0)
    root = session.profile.root
    return root is not None and 0 < session.lost_ns < root.start_ns


def _outcome(session: SessionState, is_finished: bool) -> SessionStatus:
    if is_finished:
        named = {"failed": SessionStatus.FAILED, "cancelled": SessionStatus.CANCELLED}
        return named.get(session.finished_status, SessionStatus.COMPLETED)
    root = session.profile.root
    return _OUTCOMES.get(root.status, SessionStatus.COMPLETED) if root else SessionStatus.COMPLETED
