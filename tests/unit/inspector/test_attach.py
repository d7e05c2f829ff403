"""`attach` in a process of its own, against a real receiver."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector import runfile
from inspector.runfile import RunFile
from tests.support.services.otlp_receiver import Receiver, attributes

ROOT = Path(__file__).resolve().parents[3]

HELLO = """
import inspector, instrument
handle = inspector.attach()
with instrument.operation("tool_call", tool_name="hello", args={"q": 1}) as op:
    op.result = "world"
"""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def run_program(code: str, tmp_path: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "my_agent.py"
    script.write_text("import logging; logging.basicConfig(level=logging.INFO)\n" + code)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("INSPECTOR_", "OTEL_"))}
    settings = {"INSPECTOR_RUNTIME_DIR": str(tmp_path / "run"), "PYTHONPATH": str(ROOT), **environ}
    return subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        env={**inherited, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def test_the_environment_names_the_service(receiver: Receiver, tmp_path: Path) -> None:
    run_program(HELLO, tmp_path, INSPECTOR_URL=receiver.url + "/", INSPECTOR_TOKEN="tok")
    (span,) = receiver.spans
    assert span.name == "execute_tool hello"
    assert attributes(span.attributes)["gen_ai.tool.call.arguments"] == '{"q":1}'
    assert receiver.headers[0]["Authorization"] == "Bearer tok"
    resource = receiver.resources[0]
    assert resource["service.name"] == "my_agent"
    assert isinstance(resource["process.pid"], int)
    assert {"service.instance.id", "host.name"} <= resource.keys()


def test_without_a_service_one_line_is_logged_and_nothing_is_loaded(tmp_path: Path) -> None:
    code = HELLO + "import sys; print([m for m in sys.modules if 'opentelemetry' in m])"
    done = run_program(code, tmp_path)
    assert done.stdout.strip() == "[]"
    assert done.stderr.count("\n") == 1
    assert "this process is not watched" in done.stderr


def test_a_dead_service_costs_one_line_and_no_time_at_exit(tmp_path: Path) -> None:
    dead = Receiver()
    dead.close()
    done = run_program(HELLO, tmp_path, INSPECTOR_URL=dead.url)
    levels = [line.partition(":")[0] for line in done.stderr.splitlines()]
    assert levels == ["INFO", "WARNING"], done.stderr
    assert "did not receive" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("url", ["localhost:7800", "ftp://x", "http://", "nonsense", "http://[::1"])
def test_a_bad_address_is_one_sentence(tmp_path: Path, url: str) -> None:
    done = run_program(HELLO + "print(handle.is_attached)", tmp_path, INSPECTOR_URL=url)
    assert done.stdout.strip() == "False"
    assert done.stderr.startswith("WARNING:inspector:Cannot attach to")
    assert done.stderr.count("\n") == 1


def test_an_existing_provider_stays(receiver: Receiver, tmp_path: Path) -> None:
    code = """
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
mine = TracerProvider(resource=Resource({"service.name": "mine", "team": "x"}))
trace.set_tracer_provider(mine)
import inspector, instrument
inspector.attach()
assert trace.get_tracer_provider() is mine
with trace.get_tracer("t").start_as_current_span("foreign"):
    with instrument.operation("tool_call", tool_name="hello", args={}):
        pass
"""
    run_program(code, tmp_path, INSPECTOR_URL=receiver.url)
    assert {span.name for span in receiver.spans} == {"execute_tool hello", "foreign"}
    for resource in receiver.resources:
        assert resource["service.name"] == "mine"
        assert resource["team"] == "x"
        assert resource["service.instance.id"]


@pytest.mark.slow
def test_a_provider_that_the_program_sets_later_is_the_global_one_and_both_get_every_span(
    receiver: Receiver, tmp_path: Path
) -> None:
    code = """
import inspector, instrument
inspector.attach()
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
early = trace.get_tracer("early")
open_before = early.start_span("open before")
mine = TracerProvider(resource=Resource({"service.name": "mine"}))
trace.set_tracer_provider(mine)
mine.add_span_processor(SimpleSpanProcessor(exporter := InMemorySpanExporter()))
assert trace.get_tracer_provider() is mine
open_before.end()
with trace.get_tracer("late").start_as_current_span("late"), early.start_as_current_span("early"):
    with instrument.operation("tool_call", tool_name="hello", args={}):
        pass
seen = exporter.get_finished_spans()
assert [span.name for span in seen] == ["execute_tool hello", "early", "late"], seen
assert {span.resource.attributes["service.name"] for span in seen} == {"mine"}
assert len({span.context.trace_id for span in seen}) == 1
mine.shutdown()
with instrument.operation("tool_call", tool_name="after", args={}), early.start_span("last"):
    pass
trace.set_tracer_provider(TracerProvider())
assert trace.get_tracer_provider() is mine
"""
    done = run_program(code, tmp_path, INSPECTOR_URL=receiver.url)
    ours = sorted(span.name for span in receiver.spans)
    hooks = ["execute_tool after", "execute_tool hello"]
    assert ours == ["early", *hooks, "last", "late", "open before"]
    assert done.stderr.count("Overriding of current TracerProvider is not allowed") == 1
    assert "Traceback" not in done.stderr
    assert len({resource["service.instance.id"] for resource in receiver.resources}) == 1


def test_attaching_twice_shows_everything_once(receiver: Receiver, tmp_path: Path) -> None:
    code = "import inspector\nfirst = inspector.attach()\n" + HELLO + "assert handle is first\n"
    run_program(code, tmp_path, INSPECTOR_URL=receiver.url)
    assert len(receiver.spans) == 1


def test_detach_ends_it_and_attach_begins_anew(receiver: Receiver, tmp_path: Path) -> None:
    code = (
        HELLO
        + """
handle.detach()
handle.detach()
assert not handle.is_attached
with instrument.operation("tool_call", tool_name="unseen", args={}):
    pass
assert inspector.attach() is not handle
with instrument.operation("tool_call", tool_name="again", args={}):
    pass
"""
    )
    run_program(code, tmp_path, INSPECTOR_URL=receiver.url)
    assert [span.name for span in receiver.spans] == ["execute_tool hello", "execute_tool again"]


@pytest.mark.slow
def test_open_spans_are_ended_at_exit(receiver: Receiver, tmp_path: Path) -> None:
    code = (
        HELLO
        + """
import asyncio
asyncio.run(instrument._emit("before_tool_call", tool_name="open", args={}, context=None))
"""
    )
    run_program(code, tmp_path, INSPECTOR_URL=receiver.url)
    last = receiver.spans[-1]
    assert last.name == "execute_tool open"
    assert attributes(last.attributes)["inspector.incomplete"] is True


@pytest.mark.slow
def test_a_forked_child_is_a_process_of_its_own(receiver: Receiver, tmp_path: Path) -> None:
    code = (
        HELLO
        + """
import os
import re
handle.flush()
child = os.fork()
with instrument.operation("tool_call", tool_name="child" if child == 0 else "parent", args={}):
    pass
handle.flush()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
"""
    )
    run_program(code, tmp_path, INSPECTOR_URL=receiver.url)
    names = sorted(span.name for span in receiver.spans)
    assert names == ["execute_tool child", "execute_tool hello", "execute_tool parent"]
    assert len({r["service.instance.id"] for r in receiver.resources}) == 2
    assert len({r["process.pid"] for r in receiver.resources}) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environ", "captured"),
    [
        ({}, "[redacted]"),
        ({"INSPECTOR_CAPTURE_CONTENT": "off"}, None),
        ({"INSPECTOR_CAPTURE_CONTENT": "full"}, "sk-abcdefghijklmnopqrstuv"),
        ({"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "NO_CONTENT"}, None),
        ({"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY"}, "[redacted]"),
        ({"INSPECTOR_CAPTURE_CONTENT": "redacted",
          "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "NO_CONTENT"}, "[redacted]"),
    ],
)  # fmt: skip
def test_content_follows_the_switches(
    receiver: Receiver, tmp_path: Path, environ: dict[str, str], captured: str | None
) -> None:
    code = HELLO.replace('"q": 1', '"q": "sk-abcdefghijklmnopqrstuv"')
    run_program(code, tmp_path, INSPECTOR_URL=receiver.url, **environ)
    arguments = attributes(receiver.spans[0].attributes).get("gen_ai.tool.call.arguments")
    assert (json.loads(arguments)["q"] if arguments else None) == captured


def test_without_opentelemetry_the_warning_names_the_package(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden" / "opentelemetry"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'opentelemetry'\", name='opentelemetry')"
    )
    code = HELLO + "import subscribers\nsubscribers.install()()\nprint(handle.is_attached)"
    path = f"{hidden.parent}{os.pathsep}{ROOT}"
    done = run_program(code, tmp_path, INSPECTOR_URL="http://127.0.0.1:9", PYTHONPATH=path)
    assert done.stdout.strip() == "False"
    assert done.stderr.count("pip install 'mcp-agent-inspector[otel]'") == 2
    assert done.stderr.count("\n") == 2


def test_importing_the_submodule_leaves_the_function_in_place(tmp_path: Path) -> None:
    code = """
import inspector.attach
from inspector.attach import Handle
import inspector
assert isinstance(inspector.attach(), Handle)
"""
    run_program(code, tmp_path)


def test_the_agent_side_loads_no_web_framework(receiver: Receiver, tmp_path: Path) -> None:
    code = (
        HELLO
        + """
import sys
print([m for m in sys.modules if m.split(".")[0] in {"fastapi", "starlette", "uvicorn", "apsw"}])
"""
    )
    done = run_program(code, tmp_path, INSPECTOR_URL=receiver.url)
    assert done.stdout.strip() == "[]"


IN_CONTEXT = HELLO.replace(
    "args={", 'context={"tenant": "acme", "tool_description": "Hi."}, args={'
)


@pytest.mark.slow
def test_a_spec_of_ones_own_adds_its_attribute(receiver: Receiver, tmp_path: Path) -> None:
    document = (ROOT / "docs" / "telemetry-spec.md").read_text(encoding="utf-8")
    (own := tmp_path / "own.toml").write_text(
        document.partition("```toml\n")[2].partition("```")[0], encoding="utf-8"
    )
    environ = {"INSPECTOR_URL": receiver.url, "INSPECTOR_CAPTURE_CONTENT": "off"}
    run_program(IN_CONTEXT, tmp_path, **environ)
    done = run_program(IN_CONTEXT, tmp_path, INSPECTOR_TELEMETRY_SPEC=str(own), **environ)
    without, with_own = (attributes(span.attributes) for span in receiver.spans)
    assert with_own.pop("acme.tenant") == "acme"
    assert without.pop("gen_ai.tool.description") == "Hi."
    assert with_own == without
    assert "telemetry spec" not in done.stderr


@pytest.mark.slow
def test_a_broken_spec_of_ones_own_costs_one_line(receiver: Receiver, tmp_path: Path) -> None:
    (own := tmp_path / "own.toml").write_text("[hooks.before_tool_cal]\n", encoding="utf-8")
    environ = {"INSPECTOR_URL": receiver.url, "INSPECTOR_TELEMETRY_SPEC": str(own)}
    done = run_program(HELLO, tmp_path, **environ)
    assert [span.name for span in receiver.spans] == ["execute_tool hello"]
    (line,) = [line for line in done.stderr.splitlines() if "telemetry spec" in line]
    assert f"{own}:1:1" in line
    assert "did you mean 'before_tool_call'?" in line


def test_on_a_terminal_one_line_warns_that_nothing_is_watched(tmp_path: Path) -> None:
    code = """
import os, pty, sys
ours, theirs = pty.openpty()
sys.stderr = os.fdopen(theirs, "w")
import inspector
print(inspector.attach(), inspector.attach())
sys.stderr.flush()
text = os.read(ours, 10_000).decode()
assert text.count("\\n") == 1, text
assert text.startswith("inspector: no service is running"), text
"""
    done = run_program(code, tmp_path, INSPECTOR_URL=" ", INSPECTOR_TOKEN="")
    assert done.stdout == "<inspector: not attached> <inspector: not attached>\n"


def test_the_run_file_counts_and_empty_settings_do_not(receiver: Receiver, tmp_path: Path) -> None:
    environ = {"INSPECTOR_RUNTIME_DIR": str(tmp_path / "run")}
    runfile.write(RunFile(receiver.url, "from-file", os.getpid(), "memory:"), environ)
    names = ["URL", "TOKEN", "AUTO_ATTACH", "CONTROL", "CAPTURE_CONTENT", "SEMCONV", "PRICES"]
    empty = {f"INSPECTOR_{name}": "" for name in [*names, "POLICIES", "CONFIG", "METRICS"]}
    run_program(HELLO, tmp_path, **empty)
    assert receiver.spans[0].name == "execute_tool hello"
    assert receiver.headers[0]["Authorization"] == "Bearer from-file"


@pytest.mark.slow
def test_a_wrong_setting_does_not_stop_the_program(receiver: Receiver, tmp_path: Path) -> None:
    done = run_program(
        HELLO, tmp_path, INSPECTOR_URL=receiver.url, INSPECTOR_AUTO_ATTACH="langchian"
    )
    assert "INSPECTOR_AUTO_ATTACH: Unknown adapter 'langchian'." in done.stderr
    assert receiver.spans[0].name == "execute_tool hello"


def test_dir_lists_the_public_names() -> None:
    import inspector

    assert re.fullmatch(r"\d+\.\d+\.\d+.*", inspector.__version__)
    assert [one for one in dir(inspector) if one[:2] != "__"] == sorted(inspector.__all__)
    assert "__version__" in dir(inspector)


def test_the_session_that_is_set_counts_for_spans_of_other_instrumentations(
    receiver: Receiver, tmp_path: Path
) -> None:
    code = """
import inspector, instrument
from opentelemetry import trace
inspector.attach()
tracer = trace.get_tracer("theirs")
with tracer.start_as_current_span("before"):
    pass
inspector.context.set("mine")
with tracer.start_as_current_span("theirs"):
    with instrument.operation("tool_call", tool_name="ours"):
        pass
with tracer.start_as_current_span("named", attributes={"session.id": "its own"}):
    pass
"""
    run_program(code, tmp_path, INSPECTOR_URL=receiver.url)
    sessions = {span.name: attributes(span.attributes).get("session.id") for span in receiver.spans}
    assert sessions == {
        "before": None,
        "theirs": "mine",
        "execute_tool ours": "mine",
        "named": "its own",
    }


def test_the_user_and_tags_of_a_session_are_on_spans_of_other_instrumentations(
    receiver: Receiver, tmp_path: Path
) -> None:
    code = """
import inspector
from opentelemetry import trace
inspector.attach()
tracer = trace.get_tracer("theirs")

@inspector.tool
def ours():
    with tracer.start_as_current_span("below ours"):
        pass

with tracer.start_as_current_span("request"):
    with inspector.session("s", user="ada", tags=["vip"], title="A chat"):
        with tracer.start_as_current_span("theirs"):
            with tracer.start_as_current_span("below theirs"):
                pass
        ours()
        with tracer.start_as_current_span("named", attributes={"user.id": "its own"}):
            pass
"""
    run_program(code, tmp_path, INSPECTOR_URL=receiver.url)
    found = {
        span.name: tuple(
            attributes(span.attributes).get(key)
            for key in ("session.id", "user.id", "inspector.tags", "inspector.session.title")
        )
        for span in receiver.spans
    }
    whole = ("s", "ada", ["vip"], "A chat")
    assert found == {
        "request": (None,) * 4,
        "theirs": whole,
        "below theirs": ("s", "ada", None, None),
        "execute_tool ours": whole,
        "below ours": ("s", "ada", None, None),
        "named": ("s", "its own", ["vip"], "A chat"),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "begin",
    [
        "subscribers.install(); subscribers.install(); inspector.attach()",
        "inspector.attach(); subscribers.install(); subscribers.install()",
    ],
)
def test_a_bus_that_is_traced_twice_yields_each_span_once(
    receiver: Receiver, tmp_path: Path, begin: str
) -> None:
    code = f"""
import inspector, instrument, subscribers
{begin}
with instrument.operation("tool_call", tool_name="once"):
    pass
"""
    run_program(code, tmp_path, INSPECTOR_URL=receiver.url)
    assert [span.name for span in receiver.spans] == ["execute_tool once"]
