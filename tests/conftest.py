from __future__ import annotations

from importlib.util import find_spec

if find_spec("hypothesis"):  # the environment of frameworks that need mcp 1.x has it not
    from hypothesis import HealthCheck, settings

    # Speed is measured in benchmarks/; a busy machine must not fail a property.
    settings.register_profile("repo", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("repo")
