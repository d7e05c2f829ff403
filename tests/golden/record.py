"""Record the demo as a golden trace: `python -m tests.golden.record`.

A real agent, real MCP servers and a real service; its requests are answered. The service's export
becomes `demo_release.otlp.jsonl`, with fixed ids and days and without names of the machine, so that
a new recording differs only where the demo does.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from tests.support.services.process import Service

FILE = Path(__file__).with_name("demo_release.otlp.jsonl")
ROOT = Path(__file__).resolve().parents[2]
START_NS = 1_767_261_600_000_000_000  # 2026-01-01T10:00:00Z
LONGEST_S = 180
_OF_THE_MACHINE = ("host.", "process.", "os.", "service.version", "telemetry.sdk.version")
_ID = re.compile(
    r"\b(?:[0-9a-f]{32}|[0-9a-f]{16}|demo-[0-9a-f]{12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b"
)
_TIME_KEYS = re.compile("(.+T|t)imeUnixNano")


def run_demo(service: Service) -> None:
    """Run the release demo, and answer its requests with a delay, as a person would."""
    agent = subprocess.Popen(
        [sys.executable, "-m", "inspector.demo", "--story", "release", "--seed", "7"],
        env={**service.environment, "PYTHONPATH": str(ROOT)},
        cwd=service.folder,  # no repository: its commits are nobody's business
        stdout=subprocess.DEVNULL,
    )
    deadline_s = time.monotonic() + LONGEST_S
    try:
        while agent.poll() is None:
            if time.monotonic() > deadline_s:
                raise TimeoutError("the story does not end")
            for request in service.get("/requests?status=pending")["requests"]:
                time.sleep(3)
                httpx.post(
                    f"{service.url}/requests/{request['id']}",
                    json=_answer(request),
                    headers=service.headers,
                ).raise_for_status()
            time.sleep(0.5)
    finally:
        agent.terminate()
        agent.wait(20)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    if request["form_json"] is not None:
        form = {"publish": True, "channel": "stable"}
        return {"decision": "answer", "payload_json": json.dumps(form)}
    return {"decision": "allow", "args_hash": request["args_hash"]}


class Scrubber:
    """A scrubber: it numbers ids, moves times to one day, and removes names of the machine."""

    def __init__(self, first_ns: int) -> None:
        self._shift_ns = START_NS - first_ns
        self._ids: dict[str, str] = {}

    def scrubbed(self, node: Any) -> Any:
        """Return OTLP JSON without ids and times of this run."""
        if isinstance(node, list):
            return [self.scrubbed(item) for item in node if not _is_of_the_machine(item)]
        if isinstance(node, dict):
            return {key: self._value(key, value) for key, value in node.items()}
        return _ID.sub(self._id, node) if isinstance(node, str) else node

    def _value(self, key: str, value: Any) -> Any:
        if _TIME_KEYS.fullmatch(key) and isinstance(value, str):
            return str(int(value) + self._shift_ns)
        return self.scrubbed(value)

    def _id(self, found: re.Match[str]) -> str:
        old = found[0]
        if old not in self._ids:
            number = len(self._ids) + 1
            self._ids[old] = "demo-release" if old.startswith("demo-") else _numbered(old, number)
        return self._ids[old]


def _numbered(old: str, number: int) -> str:
    if "-" in old:
        return f"00000000-0000-4000-8000-{number:012x}"
    return f"{number:0{len(old)}x}"


def _is_of_the_machine(item: Any) -> bool:
    return isinstance(item, dict) and str(item.get("key", "")).startswith(_OF_THE_MACHINE)


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder:
        with Service(Path(folder)) as service:
            run_demo(service)
            [session] = service.get("/sessions")["sessions"]
            answer = httpx.get(
                f"{service.url}/trace/{session['id']}", headers=service.headers, timeout=60
            )
            answer.raise_for_status()
        text = gzip.decompress(answer.content).decode().replace(folder, "…")
    scrubber = Scrubber(int(session["epoch_ns"]))
    lines = [json.loads(line) for line in text.splitlines()]
    scrubbed = [json.dumps(scrubber.scrubbed(line), ensure_ascii=False) for line in lines]
    FILE.write_text("\n".join(scrubbed) + "\n", encoding="utf-8")
    sys.stderr.write(f"{FILE.name}: {FILE.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
