from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec

if find_spec("hypothesis"):  # not in the environment of frameworks that need mcp 1.x
    from hypothesis import HealthCheck, settings

    # Speed is measured in benchmarks/; a busy machine must not fail a property.
    settings.register_profile("repo", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("repo")

# Set in many containers: each of the hundreds of processes that the tests start would compile all
# that it imports, which takes longer than what is tested.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell without job control starts what ends in `&` with Ctrl-C ignored, and every child of ours
# would inherit that: those that a test interrupts would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
