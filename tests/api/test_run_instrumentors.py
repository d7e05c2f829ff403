"""`inspector run` and `attach()` with what others instrument: real clients and instrumentors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.services.chat_provider import (
    ANSWER,
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    chat_provider,
)
from tests.support.services.process import Service

QUESTION = "Why is the sky blue?"
GROQ = """
from groq import Groq
client = Groq()
completion = client.chat.completions.create(
    messages=[{"role": "user", "content": "Why is the sky blue?"}], model="of-groq"
)
print(completion.choices[0].message.content)
"""
OLLAMA = """
from ollama import chat
response = chat(model="of-ollama", messages=[{"role": "user", "content": "Why is the sky blue?"}])
print(response.message.content)
"""
MISTRALAI = """
import os
from mistralai.client import Mistral
with Mistral(api_key="x", server_url=os.environ["GROQ_BASE_URL"]) as mistral:
    messages = [{"role": "user", "content": "Why is the sky blue?"}]
    print(mistral.chat.complete(model="of-mistralai", messages=messages).choices[0].message.content)
"""
PROVIDER = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
mine = TracerProvider()
mine.add_span_processor(SimpleSpanProcessor(exporter := InMemorySpanExporter()))
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("instrumentors")) as started:
        yield started


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with chat_provider() as url:
        yield url


class Programs:
    """Programs that run in a folder of their own, and what arrives of them."""

    def __init__(self, service: Service, provider: str, folder: Path) -> None:
        self._service = service
        self._folder = folder
        self._environment = {
            **service.environment,
            "GROQ_API_KEY": "x",
            "GROQ_BASE_URL": provider,
            "OLLAMA_HOST": provider,
        }

    def run(
        self, code: str, *, under: tuple[str, ...] = ("-m", "inspector", "run"), **more: str
    ) -> tuple[subprocess.CompletedProcess[str], list[dict[str, Any]]]:
        """Run a program, and return it with the rows of its spans."""
        before = self._sessions()
        (self._folder / "agent.py").write_text(code)
        ended = subprocess.run(
            [sys.executable, *under, "agent.py"],
            cwd=self._folder,
            env={**self._environment, **more},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        assert "Traceback" not in ended.stderr
        get = self._service.get
        new = self._sessions() - before
        return ended, [row for one in new for row in get(f"/sessions/{one}/spans")["spans"]]

    def _sessions(self) -> set[str]:
        return {one["id"] for one in self._service.get("/sessions")["sessions"]}


@pytest.fixture
def programs(service: Service, provider: str, tmp_path: Path) -> Programs:
    return Programs(service, provider, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("groq", GROQ),
        pytest.param("ollama", OLLAMA, marks=pytest.mark.slow),
        pytest.param("mistralai", MISTRALAI, marks=pytest.mark.slow),
    ],
)
def test_a_client_is_watched_by_the_instrumentor_that_is_installed(
    service: Service, programs: Programs, name: str, code: str
) -> None:
    ended, rows = programs.run(code)
    assert ended.stdout == f"{ANSWER}\n"
    assert f"inspector: watching {name} with open" in ended.stderr
    (call,) = rows
    assert (call["kind"], call["model"]) == ("llm", f"of-{name}")
    assert (call["input_tokens"], call["output_tokens"]) == (INPUT_TOKENS, OUTPUT_TOKENS)
    assert service.get("/sessions")["sessions"][0]["title"] == QUESTION


@pytest.mark.slow
def test_the_variable_says_which_instrumentors_are_switched_on(programs: Programs) -> None:
    both = GROQ + OLLAMA
    _, rows = programs.run(both, INSPECTOR_AUTO_INSTRUMENT="ollama")
    assert [row["model"] for row in rows] == ["of-ollama"]
    _, rows = programs.run(both, INSPECTOR_AUTO_INSTRUMENT="off")
    assert rows == []
    ended, rows = programs.run(both, INSPECTOR_AUTO_INSTRUMENT="olama")
    assert rows == []
    assert "INSPECTOR_AUTO_INSTRUMENT: Unknown instrumentor 'olama'" in ended.stderr


@pytest.mark.slow
def test_the_instrumentor_that_a_program_switches_on_is_its_own_before_and_after(
    programs: Programs,
) -> None:
    before = "from openinference.instrumentation.groq import GroqInstrumentor\n"
    switch = "GroqInstrumentor().instrument(tracer_provider=mine)\n"
    checks = (
        "assert len(exporter.get_finished_spans()) == 1\n"
        "GroqInstrumentor().uninstrument()\n"
        "assert not GroqInstrumentor().is_instrumented_by_opentelemetry\n"
    )
    set_up = PROVIDER + "trace.set_tracer_provider(mine)\n" + before
    for first in ("", "import groq\n"):
        code = first + set_up + switch + GROQ + checks
        ended, rows = programs.run(code)
        assert [row["model"] for row in rows] == ["of-groq"]
        assert "already instrumented" not in ended.stderr


@pytest.mark.slow
def test_attach_switches_on_what_is_named_and_detaching_switches_it_off(
    programs: Programs,
) -> None:
    attached = "import inspector\nhandle = inspector.attach({})\n"
    _, rows = programs.run(attached.format("") + GROQ, under=())
    assert rows == []
    named = attached.format("instrumentors=['groq']")
    after = "handle.detach()\nclient.chat.completions.create(messages=[], model='unseen')\n"
    _, rows = programs.run(named + GROQ + after, under=())
    assert [row["model"] for row in rows] == ["of-groq"]


@pytest.mark.slow
def test_where_no_instrumentor_is_installed_one_sentence_names_it(
    programs: Programs, tmp_path: Path
) -> None:
    (tmp_path / "smolagents").mkdir()
    (tmp_path / "smolagents" / "__init__.py").touch()
    (tmp_path / "dspy.py").touch()  # a file of the program's own
    advice = "pip install openinference-instrumentation-smolagents\n"
    ended, _ = programs.run("import dspy, smolagents")
    assert ended.stderr.endswith(advice)
    ended, rows = programs.run("import smolagents" + OLLAMA)
    assert len(rows) == 1
    assert ended.stderr.endswith(advice)
    assert ended.stderr.count("smolagents needs an instrumentor") == 1


@pytest.mark.slow
def test_who_emits_by_the_api_alone_is_watched_and_may_set_a_provider_later(
    programs: Programs,
) -> None:
    emit = (
        "from opentelemetry import trace\n"
        "tracer = trace.get_tracer('a framework')\n"
        "tracer.start_span('by the API').end()\n"
    )
    ended, rows = programs.run(emit)
    assert [row["name"] for row in rows] == ["by the API"]
    assert ended.stderr.endswith("inspector: watching OpenTelemetry\n")
    later = PROVIDER + (
        "trace.set_tracer_provider(mine)\n"
        "assert trace.get_tracer_provider() is mine\n"
        "tracer.start_span('later').end()\n"
        "mine.get_tracer('x').start_span('theirs').end()\n"
        "assert [one.name for one in exporter.get_finished_spans()] == ['later', 'theirs']\n"
    )
    ended, rows = programs.run(emit + later)
    assert sorted(row["name"] for row in rows) == ["by the API", "later", "theirs"]
    assert "Overriding" not in ended.stderr


@pytest.mark.slow
def test_the_exporter_may_be_what_a_program_imports_first(programs: Programs) -> None:
    code = (
        "from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter\n"
        "from opentelemetry import trace\n"
        "trace.get_tracer('t').start_span('seen').end()\n"
    )
    _, rows = programs.run(code)
    assert [row["name"] for row in rows] == ["seen"]
