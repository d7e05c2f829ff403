from __future__ import annotations

import gc
import os
import signal
import sys
from importlib.util import find_spec

if find_spec("hypothesis"):  # not in the environment of frameworks that need mcp 1.x
    from hypothesis import HealthCheck, settings

    # Speed is measured in benchmarks/; a busy machine must not fail a property.
    slow = [HealthCheck.too_slow]
    settings.register_profile("few", deadline=None, suppress_health_check=slow, max_examples=25)
    settings.register_profile("many", deadline=None, suppress_health_check=slow, max_examples=250)
    settings.load_profile("few")  # `make test-all` takes many

# Set in many containers: each of the hundreds of processes that the tests start would compile all
# that it imports, which takes longer than what is tested.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What is imported and collected stays to the end. Each full collection would walk it again, which
# takes longer than most tests.
gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


# A shell without job control starts what ends in `&` with Ctrl-C ignored, and every child of ours
# would inherit that: those that a test interrupts would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
