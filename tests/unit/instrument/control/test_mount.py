"""Modules are mounted by their entry points."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from instrument.control import HookResult, MountError, mount_plan
from instrument.testing import EventRecorder, MockCoordinator, TestCoordinator

MODULE = """
from instrument.control import HookResult

seen = []

async def mount(coordinator, config=None):
    config = config or {}
    seen.append(config)

    async def gate(event, data):
        return HookResult(action="deny", reason=config.get("reason", "no"))

    offs = [
        coordinator.hooks.register(event, gate, priority=10)
        for event in config.get("enabled_events", ["tool:pre"])
    ]

    def cleanup():
        for off in offs:
            off()

    return cleanup

async def mount_quietly(coordinator, config=None):
    return None

async def mount_and_fail(coordinator, config=None):
    raise ValueError("no disk")

async def mount_and_return_rubbish(coordinator, config=None):
    coordinator.hooks.register("tool:post", lambda event, data: None)
    return {"name": "my-rubbish-hook", "version": "1.0"}

def mount_at_once(coordinator, config=None):
    return coordinator.hooks.register("tool:post", lambda event, data: None)

async def on_session_ready(coordinator):
    seen.append(await coordinator.collect_contributions("observability.events"))
"""
ENTRY_POINTS = """[amplifier.modules]
my-hook = my_hook_module:mount
my-quiet-hook = my_hook_module:mount_quietly
my-failing-hook = my_hook_module:mount_and_fail
my-rubbish-hook = my_hook_module:mount_and_return_rubbish
my-sync-hook = my_hook_module:mount_at_once
my-missing-hook = my_hook_module:nothing
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with hooks, as a package manager leaves it."""
    (tmp_path / "my_hook_module.py").write_text(MODULE)
    metadata = tmp_path / "my_hook-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-hook\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("my_hook_module", None)


@pytest.mark.usefixtures("installed")
async def test_a_plan_mounts_modules_with_their_config_and_cleans_up() -> None:
    coordinator = TestCoordinator()
    config = {"enabled_events": ["tool:pre", "tool:post"], "log_level": "info"}

    cleanup = await mount_plan(
        coordinator,
        {
            "hooks": [
                {"module": "my-hook", "source": "git+https://example.org/x", "config": config},
                {"module": "my-quiet-hook"},
            ]
        },
    )

    assert len(coordinator.hooks.handlers["tool:pre"]) == 1
    assert len(coordinator.hooks.handlers["tool:post"]) == 1
    assert sys.modules["my_hook_module"].seen[0] == config
    assert (await coordinator.hooks.emit("tool:pre")).reason == "no"
    cleanup()
    assert len(coordinator.hooks.handlers["tool:pre"]) == 0


@pytest.mark.usefixtures("installed")
async def test_a_module_is_notified_when_all_others_are_mounted() -> None:
    coordinator = TestCoordinator()
    coordinator.register_contributor("observability.events", "other", lambda: ["other:event"])

    await mount_plan(coordinator, [{"module": "my-quiet-hook"}])

    assert sys.modules["my_hook_module"].seen == [[["other:event"]]]


@pytest.mark.usefixtures("installed")
async def test_a_module_may_mount_without_waiting() -> None:
    coordinator = TestCoordinator()

    cleanup = await mount_plan(coordinator, [{"module": "my-sync-hook"}])

    assert len(coordinator.hooks.handlers["tool:post"]) == 1
    cleanup()
    assert coordinator.hooks.handlers["tool:post"] == []


@pytest.mark.usefixtures("installed")
async def test_a_module_that_returns_something_else_stays_and_is_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    coordinator = TestCoordinator()

    await mount_plan(coordinator, [{"module": "my-rubbish-hook"}])

    assert len(coordinator.hooks.handlers["tool:post"]) == 1
    assert "my-rubbish-hook returned dict. It must return a clean-up function" in caplog.text


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"hooks": "my-hook"}, "`hooks` must be a list"),
        ({"hooks": ["my-hook"]}, "a mapping with the name of a `module`"),
        ([{"module": "my-hook", "config": 7}], "its `config` must be a mapping"),
        ([{"module": "other"}], "no installed package .* Install its package"),
        (
            [{"module": "other", "source": "git+https://example.org/x"}],
            r"never downloaded: install git\+https://example.org/x yourself",
        ),
        (
            [{"module": "my-failing-hook"}],
            r"my-failing-hook \(my_hook_module:mount_and_fail\): no disk",
        ),
        ([{"module": "my-missing-hook"}], "has no attribute 'nothing'"),
    ],
)
async def test_a_plan_that_cannot_be_mounted_leaves_nothing_behind(plan: Any, message: str) -> None:
    coordinator = TestCoordinator()
    entries = plan["hooks"] if isinstance(plan, dict) else plan
    whole = [{"module": "my-hook"}, *entries] if isinstance(entries, list) else entries

    with pytest.raises(MountError, match=message):
        await mount_plan(coordinator, {"hooks": whole})

    assert len(coordinator.hooks.handlers["tool:pre"]) == 0


async def test_a_cleanup_that_fails_does_not_keep_the_others_from_running(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cleaned: list[str] = []

    class Module:
        value = "module:mount"
        module = __name__

        def __init__(self, name: str) -> None:
            self._name = name

        def load(self) -> Any:
            return self.mount

        async def mount(self, coordinator: Any, config: Any) -> Any:
            def cleanup() -> None:
                cleaned.append(self._name)
                if self._name == "b":
                    raise ValueError("stuck")

            return cleanup

    monkeypatch.setattr("instrument.control.mount.entry_points", lambda group, name: [Module(name)])
    cleanup = await mount_plan(TestCoordinator(), [{"module": name} for name in "abc"])

    cleanup()
    cleanup()

    assert cleaned == ["c", "b", "a"]
    assert "stuck" in caplog.text


async def test_what_modules_contribute_is_collected(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def slow() -> str:
        return "slow:event"

    coordinator = TestCoordinator()
    contribute = coordinator.register_contributor
    contribute("observability.events", "mine", lambda: ["mine:failed", "mine:approved"])
    contribute("observability.events", "broken", lambda: 1 / 0)
    contribute("observability.events", "silent", lambda: None)
    contribute("observability.events", "slow", slow)

    assert await coordinator.collect_contributions("observability.events") == [
        ["mine:failed", "mine:approved"],
        "slow:event",
    ]
    assert "Contributor broken to observability.events failed" in caplog.text
    assert await coordinator.collect_contributions("nothing") == []
    with pytest.raises(TypeError, match="not callable"):
        contribute("x", "y", None)  # type: ignore[arg-type] # that is the point


async def test_modules_find_each_other_on_the_coordinator() -> None:
    coordinator = TestCoordinator()
    coordinator.register_capability("session.working_dir", "/src")
    await coordinator.mount("providers", "p", name="local")
    await coordinator.mount("context", "c")

    assert coordinator.get_capability("session.working_dir") == "/src"
    assert coordinator.get_capability("approval.needs_check") is None
    assert coordinator.get("hooks") is coordinator.hooks
    assert coordinator.get("providers") == {"local": "p"}
    assert coordinator.get("providers", "local") == "p"
    assert coordinator.get("context") == "c"
    await coordinator.unmount("context")
    assert coordinator.get("context") is None


async def test_a_coordinator_cleans_up_last_first(caplog: pytest.LogCaptureFixture) -> None:
    cleaned: list[str] = []

    async def close() -> None:
        cleaned.append("closed")

    coordinator = TestCoordinator()
    coordinator.register_cleanup(lambda: cleaned.append("first"))
    coordinator.register_cleanup(lambda: 1 / 0)
    coordinator.register_cleanup(close)

    await coordinator.cleanup()
    await coordinator.cleanup()

    assert cleaned == ["closed", "first"]
    assert "failed to clean up" in caplog.text


async def test_the_recorder_keeps_events_in_order() -> None:
    recorder = EventRecorder()

    await recorder.record("tool:pre", {"tool_name": "a"})
    await recorder.record("tool:post", {"tool_name": "b"})

    assert recorder.get_events() == [
        ("tool:pre", {"tool_name": "a"}),
        ("tool:post", {"tool_name": "b"}),
    ]
    assert recorder.get_events("tool:post") == [("tool:post", {"tool_name": "b"})]
    assert await recorder("tool:pre", {}) == HookResult()
    recorder.clear()
    assert recorder.get_events() == []


def test_a_test_coordinator_shares_nothing() -> None:
    assert MockCoordinator is TestCoordinator
    assert TestCoordinator().hooks.bus is not TestCoordinator().hooks.bus
