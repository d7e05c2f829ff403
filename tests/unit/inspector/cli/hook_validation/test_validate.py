"""`inspector hooks validate`: one bad module for every rule, and good ones that pass."""

import json
import os
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from inspector.cli.hook_validation import RULES, Report, UnreadablePathError, validate
from inspector.cli.main import app
from inspector.errors import InspectorError

GOOD = """
import logging

from instrument.control import HookResult

logger = logging.getLogger(__name__)


async def mount(coordinator, config=None):
    config = config or {}

    async def gate(event: str, data: dict) -> HookResult:
        try:
            name = data["tool_name"]
            await data["hooks"].emit("my-hook:seen", {"name": name})
        except Exception as error:
            logger.error("Hook error: %s", error)
            return HookResult(action="continue")
        if name == "rm":
            return HookResult(action="deny", reason="Not that")
        return HookResult(action="continue")

    offs = [
        coordinator.hooks.register(event, gate, priority=10, name="gate")
        for event in config.get("enabled_events", ["tool:pre"])
    ]
    coordinator.register_contributor("observability.events", "my-hook", lambda: ["my-hook:seen"])
    logger.debug("Registered %d handlers", len(offs))

    def cleanup():
        for off in offs:
            off()

    return cleanup
"""
PYPROJECT = """
[project]
name = "my-hook"
version = "1"

[project.entry-points."amplifier.modules"]
my-hook = "my_hook:mount"
"""
EXAMPLES = Path(__file__).parents[3] / "instrument" / "documented_examples" / "control.md"


def distribution(
    folder: Path, code: str = GOOD, pyproject: str = PYPROJECT, file: str = "my_hook.py"
) -> Path:
    (folder / "pyproject.toml").write_text(pyproject)
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(textwrap.dedent(code))
    return folder


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.findings}


def with_handler(body: str, head: str = "async def gate(event, data):") -> str:
    """Return a module that is good but for its handler."""
    start, end = GOOD.index("    async def gate"), GOOD.index("    offs = [")
    handler = textwrap.indent(f"{head}\n{textwrap.indent(textwrap.dedent(body), '    ')}\n", "    ")
    return GOOD[:start] + handler + GOOD[end:]


@pytest.mark.parametrize("file", ["my_hook.py", "my_hook/__init__.py", "src/my_hook/__init__.py"])
def test_a_module_that_follows_the_whole_checklist_has_no_finding(
    tmp_path: Path, file: str
) -> None:
    report = validate(distribution(tmp_path, file=file))

    assert report.findings == []


def test_a_mount_imported_from_a_submodule_is_found(tmp_path: Path) -> None:
    distribution(tmp_path, GOOD, file="my_hook/gate.py")
    distribution(tmp_path, "from .gate import mount\n", file="my_hook/__init__.py")

    assert validate(tmp_path).findings == []


@pytest.mark.parametrize("heading", ["Example: Validation Hook", "Example: Approval Hook"])
def test_the_worked_examples_of_the_contract_are_valid(tmp_path: Path, heading: str) -> None:
    blocks = re.findall(r"^## ([^\n]*)\n\n```python\n(.*?)```", EXAMPLES.read_text(), re.M | re.S)
    code = "import fnmatch\nfrom amplifier_core.models import HookResult\n" + dict(blocks)[heading]

    report = validate(distribution(tmp_path, code))

    assert report.is_valid
    assert codes(report) >= {"foreign-import", "no-cleanup", "no-logging", "no-enabled-events"}


def test_a_package_folder_and_a_file_are_checked_without_a_distribution(tmp_path: Path) -> None:
    distribution(tmp_path, file="my_hook/__init__.py")

    for path in ("my_hook", "my_hook/__init__.py"):
        assert codes(validate(tmp_path / path)) == {"no-distribution"}


CONTINUE = 'return HookResult(action="continue")'
BAD_HANDLERS = {
    "handler-not-async": with_handler(CONTINUE, "def gate(event, data):"),
    "handler-signature": with_handler(CONTINUE, "async def gate(event):"),
    "return-missing": with_handler(f"if event:\n    {CONTINUE}"),
    "return-other": with_handler('return {"action": "continue"}'),
    "handler-raises": with_handler('raise ValueError("no")'),
    "handler-unguarded": with_handler(f"name = data['tool_name']\n{CONTINUE}"),
}
BAD_MODULES = {
    **BAD_HANDLERS,
    "cannot-parse": "def mount(:\n",
    "no-mount": GOOD.replace("def mount(", "def start("),
    "mount-not-async": GOOD.replace("async def mount(", "def mount("),
    "mount-signature": GOOD.replace("coordinator, config=None", "coordinator"),
    "mount-returns-other": GOOD.replace("return cleanup", "return dict()"),
    "nothing-registered": GOOD.replace("coordinator.hooks.register(", "print("),
    "import-failed": GOOD + "\nimport no_such_module_anywhere\n",
    "mount-failed": GOOD.replace("config = config or {}", "config = config or {}; config['url']"),
    "trial-timeout": GOOD + "\nimport time\nwhile True: time.sleep(1)\n",
    "trial-died": GOOD + "\nimport os\nos._exit(0)\n",
    "mount-needs-config": GOOD.replace("config = config or {}", "config = dict(config)"),
    "no-cleanup": GOOD.replace("return cleanup", "return None"),
    "cleanup-failed": GOOD.replace("            off()", "            off(1 / 0)"),
    "cleanup-incomplete": GOOD.replace("            off()", "            off"),
    "priority-range": GOOD.replace("priority=10", "priority=5"),
    "no-logging": GOOD.replace("    logger.debug", "    print").replace(".error", ".info"),
    "no-enabled-events": GOOD.replace("enabled_events", "events"),
    "events-not-contributed": GOOD.replace("coordinator.register_contributor", "print"),
    "foreign-import": GOOD.replace("instrument.control", "amplifier_core.models"),
    "nothing-registered-by-default": GOOD.replace('["tool:pre"]', "[]"),
    "bad-result": GOOD.replace('action="deny"', 'action="block"'),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("code", BAD_MODULES)
def test_a_module_that_breaks_one_rule_has_that_finding_alone(tmp_path: Path, code: str) -> None:
    limit_s = 1.0 if code == "trial-timeout" else 20.0
    report = validate(distribution(tmp_path, BAD_MODULES[code]), time_limit_s=limit_s)

    assert codes(report) == {code}
    assert report.is_valid == (RULES[code].level == "warning")
    finding = report.findings[0]
    assert finding.path == str(tmp_path / "my_hook.py")
    assert finding.advice


@pytest.mark.parametrize(
    ("code", "pyproject"),
    [
        ("bad-pyproject", "[project"),
        ("bad-pyproject", "project = 1"),
        ("no-entry-point", "[project]\nname = 'my-hook'"),
        ("bad-entry-point", PYPROJECT.replace("my_hook:mount", "other:mount")),
        ("bad-entry-point", PYPROJECT.replace("my_hook:mount", "../my_hook")),
    ],
)
def test_a_distribution_must_name_its_mount(tmp_path: Path, code: str, pyproject: str) -> None:
    assert codes(validate(distribution(tmp_path, pyproject=pyproject))) == {code}


def test_every_rule_has_a_module_that_breaks_it() -> None:
    elsewhere = {"no-distribution", "bad-pyproject", "no-entry-point", "bad-entry-point"}

    assert RULES.keys() == BAD_MODULES.keys() | elsewhere


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "while True:\n    return HookResult()",
        "try:\n    raise ValueError\nexcept ValueError:\n    return HookResult()",
        "match event:\n    case 'a':\n        return HookResult()\n"
        "    case _:\n        return HookResult()",
        "import asyncio\ntry:\n    await asyncio.sleep(0)\n    return HookResult()\n"
        "except asyncio.CancelledError:\n    raise\nexcept Exception:\n    return HookResult()",
        "if 'a' in data:\n    return data['a']\nreturn HookResult()",
    ],
)
def test_a_handler_that_is_careful_in_other_ways_has_no_finding(tmp_path: Path, body: str) -> None:
    assert validate(distribution(tmp_path, with_handler(body))).findings == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "body"),
    [
        ("return-missing", "return"),
        ("return-missing", "return None if event else HookResult()"),
        ("return-missing", "for _ in data:\n    return HookResult()"),
        ("return-missing", "try:\n    return HookResult()\nexcept Exception:\n    pass"),
        ("return-missing", "import contextlib\nwith contextlib.suppress(KeyError):\n"
                           "    return HookResult()"),
        ("return-missing", "while True:\n    break"),
        ("return-missing", "match event:\n    case 'a':\n        return HookResult()"),
        ("handler-raises", "try:\n    return HookResult()\nexcept KeyError:\n    raise"),
        ("handler-raises", "try:\n    raise ValueError\nexcept KeyError:\n    return HookResult()"),
        ("handler-not-async", "yield HookResult()\nraise SystemExit"),
        ("bad-result", "return HookResult('ask_user')"),
        ("bad-result", "return HookResult('inject_context', context_injection='')"),
        ("bad-result", "return HookResult(text='')"),
        ("bad-result", "return HookResult(approval_default='maybe')"),
    ],
)  # fmt: skip
def test_a_path_that_ends_badly_is_found_at_its_line(tmp_path: Path, code: str, body: str) -> None:
    report = validate(distribution(tmp_path, with_handler(body)))

    assert codes(report) == {code}
    start = (
        (tmp_path / "my_hook.py").read_text().splitlines().index("    async def gate(event, data):")
    )
    line = report.findings[0].line
    assert line is not None
    assert start < line <= start + 1 + len(body.splitlines())


def test_an_event_of_the_contract_may_be_emitted_without_being_contributed(tmp_path: Path) -> None:
    code = GOOD.replace("coordinator.register_contributor", "print")

    assert validate(distribution(tmp_path, code.replace('"my-hook:seen"', '"tool:pre"'))).is_valid
    assert codes(validate(tmp_path)) == set()


HANDLERS = """
class Gate:
    async def __call__(self, event, data):
        return None

    async def other(self, event, data):
        return None

gate = Gate()

import functools

def logged(function):
    @functools.wraps(function)
    async def wrapper(event, data):
        return await function(event, data)
    return wrapper

@logged
async def decorated(event, data):
    return None

def timed(function):
    return functools.wraps(function)(lambda event, data: function(event, data))

@timed
async def passed_on(event, data):
    return None
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "handler",
    ["gate", "Gate()", "Gate().other", "functools.partial(gate.other)", "decorated", "passed_on"],
)
def test_handlers_are_read_whatever_they_are(tmp_path: Path, handler: str) -> None:
    start, end = GOOD.index("    async def gate"), GOOD.index("    offs = [")
    code = GOOD[:start] + GOOD[end:].replace("event, gate,", f"event, {handler},") + HANDLERS

    report = validate(distribution(tmp_path, code))

    lines = (tmp_path / "my_hook.py").read_text().splitlines()
    assert {(one.code, lines[(one.line or 0) - 1].strip()) for one in report.findings} == {
        ("return-missing", "return None")
    }


def test_mistakes_that_only_mounting_shows_are_found(tmp_path: Path) -> None:
    code = GOOD.replace("event, gate, priority=10", "event, *[len, 99]")

    assert codes(validate(distribution(tmp_path, code))) >= {
        "handler-not-async",
        "handler-signature",
        "priority-range",
    }


def test_a_module_with_an_error_in_its_text_is_never_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    ran = f"\nopen({str(mark)!r}, 'w').close()\n"
    validate(distribution(tmp_path, BAD_MODULES["bad-result"] + ran))
    assert not mark.exists()

    validate(distribution(tmp_path, GOOD + ran))
    assert mark.exists()


def test_the_module_does_not_see_a_running_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_TOKEN", "secret")
    code = GOOD + "\nimport os\nassert 'INSPECTOR_TOKEN' not in os.environ\n"

    assert validate(distribution(tmp_path, code)).findings == []


def test_a_path_without_a_module_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.txt").touch()
    (tmp_path / "large.py").write_bytes(b"#" * 1_000_001)
    os.mkfifo(tmp_path / "pipe.py")

    for name in ("missing", "text.txt", "large.py", "pipe.py", "."):
        with pytest.raises(UnreadablePathError, match="Cannot"):
            validate(tmp_path / name)


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe", b"x = \0", b"(" * 500, b"if a: pass\n" + b"elif a: pass\n" * 3000],
)
def test_hostile_text_is_a_finding_and_no_crash(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "my_hook.py"
    file.write_bytes(content)

    assert not validate(file).is_valid


def test_a_handler_that_is_nested_too_deeply_is_a_finding_and_no_crash(tmp_path: Path) -> None:
    branch = "if event == 'a':\n    return HookResult()\n"
    body = branch + f"el{branch}" * 500 + "return HookResult()"

    assert codes(validate(distribution(tmp_path, with_handler(body)))) == {"cannot-parse"}


@pytest.fixture
def run() -> Callable[..., tuple[int, str]]:
    def invoke(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["hooks", "validate", *arguments])
        if isinstance(done.exception, InspectorError):
            raise done.exception
        return done.exit_code, done.output

    return invoke


def test_the_command_prints_place_and_advice(
    tmp_path: Path, run: Callable[..., tuple[int, str]]
) -> None:
    exit_code, shown = run(str(distribution(tmp_path, BAD_MODULES["bad-result"])))

    assert exit_code == 1
    line = (
        BAD_MODULES["bad-result"]
        .splitlines()
        .index('            return HookResult(action="block", reason="Not that")')
    )
    assert f"error bad-result  {tmp_path}/my_hook.py:{line + 1}\n" in shown
    assert "use one of continue, deny" in shown
    assert shown.endswith(": not valid (errors: 1, warnings: 0)\n")


def test_warnings_alone_succeed_and_machines_read_json(
    tmp_path: Path, run: Callable[..., tuple[int, str]]
) -> None:
    exit_code, shown = run(str(distribution(tmp_path, BAD_MODULES["no-cleanup"])), "--json")

    assert exit_code == 0
    report = json.loads(shown)
    assert (report["is_valid"], report["errors"], report["warnings"]) == (True, 0, 1)
    assert report["findings"][0].keys() == {"level", "code", "problem", "path", "line", "advice"}


def test_the_command_refuses_a_path_that_cannot_be_read(
    tmp_path: Path, run: Callable[..., tuple[int, str]]
) -> None:
    with pytest.raises(UnreadablePathError):
        run(str(tmp_path / "missing"))
