"""Programs of frameworks, run under a real service, and their sessions as its API shows them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.services.process import Service

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "frameworks"
NO_B = """
[[policies]]
name = "no b"
tools = ["letter_count"]
where = { letter = { regex = "^b$" } }
action = "deny"
reason = "b is not for us"
"""


class Story(NamedTuple):
    """A program, and its expected output and session.

    Attributes:
        program: The script and its arguments.
        output: Its expected output.
        outline: Its expected session, as `outline` writes it.
        policy: The policies under which it runs, as TOML.
        session_id: The session, if the program names it.
    """

    program: tuple[str | Path, ...]
    output: str
    outline: str
    policy: str = ""
    session_id: str = ""

    @property
    def name(self) -> str:
        """The name of the test: `langchain_agent`, `clerk-langchain`."""
        return "-".join(Path(part).stem for part in self.program)

    def check(self, service: Service, folder: Path) -> None:
        """Run the program, and compare its output and its session."""
        watched = watch(service, folder, *self.program, policy=self.policy)
        assert watched.output == self.output
        assert outline(service, watched) == self.outline
        assert self.session_id in ("", watched.session["id"])


def run(*program: str | Path, folder: Path, **environment: str) -> str:
    """Run a script, which must succeed without stderr; return its output."""
    own = {name: value for name, value in os.environ.items() if "INSPECTOR" not in name}
    done = subprocess.run(
        [sys.executable, *map(str, program)],
        env={**own, "PYTHONPATH": str(ROOT), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


class WatchedRun(NamedTuple):
    """The output of a program, its only session, and its spans."""

    output: str
    session: Any
    rows: list[Any]


def watch(service: Service, folder: Path, *program: str | Path, policy: str = "") -> WatchedRun:
    """Run a script that sends to `service`."""
    policies = folder / "policies.toml"
    policies.write_text(policy)
    before = {one["id"] for one in service.get("/sessions")["sessions"]}
    output = run(
        *program,
        folder=folder,
        INSPECTOR_URL=service.url,
        INSPECTOR_TOKEN=service.token,
        INSPECTOR_POLICIES=str(policies),
    )
    (session,) = (one for one in service.get("/sessions")["sessions"] if one["id"] not in before)
    return WatchedRun(output, session, service.get(f"/sessions/{session['id']}/spans")["spans"])


def view(service: Service, row: Any) -> Any:
    """Return the view of a span, as the page shows it."""
    return service.get(f"/spans/{row['trace_id']}/{row['span_id']}")["view"]


def outline(service: Service, watched: WatchedRun) -> str:
    """Return the session and its agents, LLM calls and tool calls, a line each.

    A line has the input and the output. An LLM call has its number of messages, and `streamed`
    if its first chunk was timed; an error begins with `!`, and a denial names its policy.
    """
    rows = {row["span_id"]: row for row in watched.rows}
    drawn = {
        span_id: row["duplicate_of"] is None and row["kind"] in ("agent", "llm", "tool")
        for span_id, row in rows.items()
    }
    duplicates = sum(row["duplicate_of"] is not None for row in watched.rows)
    lines = [
        "{title}: {llm_calls} LLM calls, {tool_calls} tool calls, "
        "{input_tokens} + {output_tokens} tokens, ".format(**watched.session)
        + f"{duplicates} duplicates"
    ]
    for row in watched.rows:
        if drawn[row["span_id"]]:
            above, depth = row["parent_span_id"], 0
            while above in rows:
                above, depth = rows[above]["parent_span_id"], depth + drawn[above]
            lines.append("  " * depth + _line(row, view(service, row)))
    return "".join(f"{line}\n" for line in lines)


def _line(row: Any, view: Any) -> str:
    messages = [(one["origin"], one["role"], _text(one)) for one in view["messages"]]
    sent = [(role, text) for origin, role, text in messages if origin != "output"]
    words = [row["name"]]
    if view["llm"]:
        is_streamed = (view["llm"]["time_to_first_chunk_ms"] or 0) > 0
        words.append(f"({len(sent)}{', streamed' * is_streamed})")
    words.append(view["tool"]["arguments"]["text"] if view["tool"] else ": ".join(sent[-1]))
    if row["status"] == "error":
        policies = [f"{one['interceptor']}:" for one in view["decisions"]]
        words += ["!", *policies, view["error"]["message"].splitlines()[0]]
    else:
        words += ["->", view["tool"]["result"]["text"] if view["tool"] else messages[-1][2]]
    return " ".join(words)


def _text(message: Any) -> str:
    texts = []
    for part in message["parts"]:
        match part["type"]:
            case "tool_call":
                texts.append(f"calls {part['name']}")
            case "tool_result":
                texts.append(part["result"]["text"])
            case _:
                texts.append(part["text"].strip())
    return " ".join(filter(None, texts))
