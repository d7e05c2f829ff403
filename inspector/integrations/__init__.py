"""Adapters for agent frameworks, which observe and control them.

One module per framework, named as in `inspector.agent_side.adapters`. Each has

    attach(*targets, bus=None) -> detach

With targets (an agent, a server, a client: what the module says) it watches those; with none,
every one of this process, also those made later. `detach` is idempotent and leaves the framework
as it was. The framework is imported inside `attach` only. How to write one:
`docs/guide/write-an-adapter.md`.
"""
