"""Fixtures of every adapter's tests: a bus of their own, and a log of its hooks."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from instrument import Bus
from tests.integrations.capabilities import CAPABILITIES, FRAMEWORKS
from tests.integrations.hook_log import HookLog
from tests.support.services.model_provider import ModelProvider
from tests.support.services.process import Service

for module in ("stories", "contract", "client_contract", "mcp_contract"):
    pytest.register_assert_rewrite(f"tests.integrations.{module}")

RESULTS = Path(__file__).parent / "results"
SHOWN = pytest.StashKey[dict[str, dict[str, bool]]]()


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def hooks(bus: Bus) -> Iterator[HookLog]:
    """A log of the bus; at the end, each operation must have ended once."""
    recorder = HookLog()
    bus.observe_chunks(recorder.add_text)
    off = bus.observe_all(recorder)
    yield recorder
    off()
    recorder.check_pairs()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service for all tests of a module."""
    with Service(tmp_path_factory.mktemp("service")) as started:
        yield started


@pytest.fixture(scope="session")
def shared_provider() -> Iterator[ModelProvider]:
    """A provider of models for all tests; `provider` forgets what was asked before."""
    with ModelProvider() as provider:
        yield provider


@pytest.fixture
def provider(shared_provider: ModelProvider) -> ModelProvider:
    shared_provider.script.clear()
    shared_provider.scripts.clear()
    shared_provider.requests.clear()
    return shared_provider


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SHOWN] = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Record what each test marked `shows` has shown."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]  # pluggy's, untyped here
    if report.when != "call" and not report.failed:
        return
    for marker in item.iter_markers("shows"):
        framework, *capabilities = marker.args
        if framework in CAPABILITIES:  # of the contract, whose class names the framework
            capabilities = [*marker.args]
            framework = item.cls.framework  # type: ignore[attr-defined]  # of a method
        assert framework in FRAMEWORKS, f"{item.nodeid}: no framework {framework!r}"
        for capability in capabilities:
            assert capability in CAPABILITIES, f"{item.nodeid}: no capability {capability!r}"
            shown = item.config.stash[SHOWN].setdefault(framework, {})
            shown[capability] = shown.get(capability, True) and report.passed


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With `RECORD_FRAMEWORKS=1`, write what was shown, from which docs/frameworks.md is made."""
    if os.environ.get("RECORD_FRAMEWORKS") != "1" or hasattr(session.config, "workerinput"):
        return
    RESULTS.mkdir(exist_ok=True)
    for framework, shown in session.config.stash[SHOWN].items():
        result = {
            "version": version(FRAMEWORKS[framework]),
            "capabilities": dict(sorted(shown.items())),
        }
        text = json.dumps(result, indent=2) + "\n"
        (RESULTS / f"{framework}.json").write_text(text, encoding="utf-8")
