"""What a page says to type works: its shell blocks run, with a service and an agent that asks.

Names that a reader fills in are those of the test. What does not end by itself is interrupted once
it shows something.
"""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.docs.test_code_blocks import PAGES
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.docs.page import ROOT, DocPage
from tests.support.services.process import DEADLINE_S, Service, free_port
from tests.support.telemetry.two_runs import FIRST_ID, SECOND_ID, two_runs

NOT_RUN = {
    r"(\S+/)?(pip|npm) install |python3 -m venv ": (7, "fetches packages"),
    r"make ": (11, "targets exist: tests/architecture/test_readme.py"),
    r"docker ": (5, "needs an engine; tests/architecture/test_compose.py reads the files"),
    r"systemctl |loginctl |journalctl ": (3, "needs a user's systemd"),
    r"claude ": (2, "an assistant that one has to pay for"),
    r"weaver |curl -X POST http://localhost:4320/": (3, "needs Weaver"),
}
"""Lines of shell by how they begin: how many there are, and why they do not run."""
FOLLOWED = "docs/start/"
"""Pages that `test_start_pages.py` follows."""
LASTING = re.compile(r"^(?:\w+=\S+ )*(?:inspector (?:serve|tail)|python -m inspector\.demo)\b")
ASSIGNS = re.compile(r"\w+=(?:\$\(.+\)|\".+\")")
FORM = (
    '{"type": "object", "properties": {"count": {"type": "integer"}, "why": {"type": "string"}},'
    ' "required": ["count", "why"]}'
)
ARGS = '{"path":"/tmp/a"}'
AGENT = """\
import inspector

inspector.attach()
inspector.tool(lambda: 1)()
"""


def reason_not_to_run(line: str) -> str | None:
    return next((begin for begin in NOT_RUN if re.match(begin, line)), None)


def lines_of(page: DocPage) -> list[str]:
    """Return the lines of its shell blocks, each with what continues it."""
    texts = [block.text.replace("\\\n", "") for block in page.of("sh")]
    return [line for text in texts for line in text.splitlines() if line.split("#")[0].strip()]


TYPED = [page for page in PAGES if page.of("sh") and not page.path.startswith(FOLLOWED)]


class Terminal:
    """A reader at a terminal, whose agent asks whenever a line is about a request."""

    def __init__(self, folder: Path, service: Service, agent: ConnectedAgent) -> None:
        self.folder, self._service, self._agent = folder, service, agent
        self._numbers = count(1)
        self._assigned: list[str] = []
        self._environ = {
            **service.environment,
            "HOME": str(folder),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "BROWSER": "true",
        }

    def type(self, line: str) -> None:
        """Run a line, which must succeed, or begin to show something and end when interrupted."""
        if ASSIGNS.fullmatch(line):
            self._assigned.append(line)
            return
        script = "\n".join([*self._assigned, self._filled_in(line)])
        if LASTING.match(line):
            self._interrupt(script, **({} if "tail" in line else self._own_service()))
            return
        own = self._own_service() if "inspector restore" in line else {}
        keyboard, terminal = pty.openpty()
        os.write(keyboard, b"y\n")
        done = subprocess.run(
            ["sh", "-euc", script],
            env={**self._environ, **own},
            cwd=self.folder,
            stdin=terminal if "approve" in line else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
        )
        os.close(keyboard)
        os.close(terminal)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        assert '"code":' not in done.stdout, f"{script}\n{done.stdout}"

    def _filled_in(self, line: str) -> str:
        request = f"858d-{next(self._numbers)}"
        if "97ab" in line:
            request = request.replace("858d", "97ab")
            self._agent.ask(request, session_id=FIRST_ID, kind="question", form_json=FORM)
        elif re.search(r"858d|\bID\b", line):
            self._agent.ask(request, session_id=FIRST_ID, args_json=ARGS)
        shown = self._service.client.get(f"/requests/{request}").json()
        for name, text in {
            r"858d|97ab|\bID\b": request,
            r"NEW_SESSION": SECOND_ID,
            r"\bSESSION\b": FIRST_ID,
            r"(?<=\")…(?=\")": shown.get("args_hash"),
            r"http://127.0.0.1:7800": self._service.url,
        }.items():
            line = re.sub(name, str(text), line)
        return line

    def _own_service(self) -> dict[str, str]:
        return {
            "INSPECTOR_STORE": f"sqlite:///{self.folder}/own.sqlite3",
            "INSPECTOR_RUNTIME_DIR": str(self.folder / "own"),
            "INSPECTOR_PORT": str(free_port()),
        }

    def _interrupt(self, script: str, **environ: str) -> None:
        process = subprocess.Popen(
            ["sh", "-euc", f"trap : INT\n{script}"],  # it waits for what it started
            env={**self._environ, **environ},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert process.stdout is not None
        while not select.select([process.stdout], [], [], 0.2)[0]:
            self._agent.ask(f"news-{next(self._numbers)}", session_id=FIRST_ID)
        shown = process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=DEADLINE_S)
        assert shown, f"{script}\n{rest}"
        assert process.returncode in (0, 128 + signal.SIGINT), f"{script}\n{shown}{rest}"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with Service(tmp_path) as service, ConnectedAgent(service) as agent:
        service.post("/v1/traces", two_runs())
        yield Terminal(tmp_path, service, agent)


@pytest.mark.slow
@pytest.mark.parametrize("document", TYPED, ids=lambda page: page.path)
def test_the_lines_of_a_page_do_what_they_say(terminal: Terminal, document: DocPage) -> None:
    here = terminal.folder
    (here / "my_agent.py").write_text(AGENT, encoding="utf-8")
    (here / "edited.json").write_text('{"path": "/tmp/b"}', encoding="utf-8")
    if "--tls-cert" in document.text:
        make_certificate(here)
    for line in lines_of(document):
        if not reason_not_to_run(line):
            terminal.type(line)


def make_certificate(folder: Path, host: str = "inspector.example") -> None:
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={host}"),
            *("-addext", f"subjectAltName=DNS:{host}"),
            *("-keyout", "privkey.pem", "-out", "fullchain.pem"),
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def test_lines_that_do_not_run_have_a_reason_and_are_counted() -> None:
    found = Counter(
        begin for page in TYPED for line in lines_of(page) if (begin := reason_not_to_run(line))
    )
    assert found == {begin: number for begin, (number, _) in NOT_RUN.items()}
