"""Generate `docs/instrumentation-hooks.md`, the hook contract, from the catalogue."""

from __future__ import annotations

from pathlib import Path

from instrument.catalogue import (
    CATALOGUE,
    CONTRACT_VERSION,
    HISTORY,
    IDENTITY,
    NOUNS,
    OPERATION_STATUSES,
    TRANSPORTS,
    Hook,
    Noun,
)

_HEAD = f"""# Instrumentation hooks

Version {CONTRACT_VERSION} ({HISTORY[-1][1]}).
Generated from `instrument/catalogue.py` by `make gen`; do not edit.

This is the contract between those who emit (agents, frameworks, MCP clients and servers),
those who observe (the OpenTelemetry bridge, your own code) and those who decide.
How to write a hook, in five vocabularies: [the guide](guide/write-a-hook.md).
It began as `docs/inspector/instrumentation-hooks.md` of mcp-agent, whose 32 hooks of version 1.2
are here unchanged; the module that was `mcp_agent.core.instrument` is `instrument`.

## The bus

| call | effect |
| --- | --- |
| `register(name, fn)` | `fn` is called with the kwargs of every later event `name` |
| `unregister(name, fn)` | removes the first registration of `fn`; no error when there is none |
| `observe(name, fn)` | like `register`; returns a function that undoes it |
| `observe_all(fn)` | `fn(name, /, **kwargs)` for every event; returns a function that undoes it |
| `operation(noun, **kwargs)` | a context manager that emits the hooks of one operation |
| `await call(noun, fn, **kwargs)`, `call_sync` | runs `fn(op)` as an operation |
| `intercept(name, fn, priority=0, …)` | `fn` decides on `name`; returns a function that undoes it |
| `around(noun, wrapper)` | a generator function that decides before and after |
| `await dispatch(name, **kwargs)`, `dispatch_sync` | decides on an event that is no operation |
| `set_approval_provider(provider)` | who asks people |
| `await _emit(name, **kwargs)` | for emitters of single events; observers never call it |

* Observers of one hook run in the order in which they were registered, sync and async mixed.
  Between different hooks no order is promised.
* What an observer returns is ignored. A coroutine is awaited; a Future or Task is left running.
* An exception in an observer is logged (WARNING on `mcp.instrument`, with its traceback), told as
  `hook_failed`, and swallowed; the next observer runs. `KeyboardInterrupt` and `SystemExit` pass,
  and `CancelledError` passes when it is the emitting task that is being cancelled.
* Observers may be registered from any thread, also during an emission; an emission that has begun
  keeps the observers it began with.
* A name that is not in the catalogue is accepted, and said once at debug level on `mcp.instrument`.

## Threads

The bus needs no global interpreter lock:

* A hook's entries are one tuple, replaced whole under a lock that only writers take. A reader takes
  one look and keeps that tuple, so it sees all of a change or nothing.
* What is to happen once (undoing a registration, saying a thing, drawing a `call_id`) hangs on one
  step of a list, dict or counter, which is atomic also where threads run in parallel.
* Call-backs run on the thread that emits, and may run on several at a time: what they keep is
  theirs to guard. An operation belongs to the task or thread that entered it, `op.chunk()` too.
* No call-back and no log handler is called while the lock is held.
* An interceptor that is registered while another thread emits may or may not be asked. If the
  emitter had seen none when it looked, this is reported like any policy that is not heeded.

## Names

`<phase>_<noun>` in snake_case. `before_*` comes immediately before the side effect, `after_*` only
after a successful return, `error_*` when it raised, with `exc`.
`transport` and `transport_type` are one of {", ".join(f"`{name}`" for name in TRANSPORTS)}.

"""

_STATUSES = ", ".join(f"`{status}`" for status in OPERATION_STATUSES)

_IDENTITY = f"""Every hook of an operation also carries `call_id` and `parent_call_id` (1.3).
`call_id` names one operation on all its events; `parent_call_id` is the innermost operation that
was open around it, or None.

## Operations

```python
async with operation("tool_call", tool_name="search", args={{"q": "otters"}}) as op:
    op.result = await search(**op.args)
```

    operation_opened → before_<noun> → (the body) → after_<noun> | error_<noun> → operation_closed

* Each comes exactly once, whatever happens: return, raise, cancellation, a generator closed early.
  `status` of `operation_closed` is one of {_STATUSES}.
* The before hook has what was given, and None for what the contract promises and was not given.
  `op.result` becomes the output kwarg of the after hook; `op.set(usage=…)` adds others.
  An error hook carries what had been set until then.
* Exceptions leave the block as they came.
* `with operation(…)` does the same in sync code. Async observers then run on the running loop, a
  little later; on a thread without a loop, at once.
* Interceptors are asked after `operation_opened`, and again before the closing hook. What they
  refuse leaves the block as `HookDenied`, `HookFailed` or `HookStopped`; the before hook is told
  all the same, and the closing one is the error hook, or the after hook with the value of a stop.
* `call` can run again, and return what interceptors put in place of a result or an error; each
  attempt is an operation of its own, and one that is discarded closes as `error`. A block can
  only be refused.
* `op.stream(source)` passes a streamed answer on and measures it; `op.chunk()` counts a piece that
  comes another way. The operation is current while a piece is made, and not while the consumer
  looks at it.
* An operation that nobody listened to when it began stays silent.

"""

_DECIDING = """They are asked by priority, lower first, then in order of registration, until one
denies, stops, fails or retries. Every verdict is told as `hook_decided`.
What goes wrong is never taken for consent: what is no decision denies; one that the event does not
allow raises `HookContractError`, or denies where `on_error` is not `raise`; from the first
`ask_user` on, every failure denies. What only `_emit` tells cannot be decided: its interceptors are
reported as `hook_failed`.

"""

_TAIL = """## For subscribers

* Take `**kwargs`: minor versions add some. Ignore hooks you do not know.
* Change nothing that you are given.
* Be fast: 200 µs of CPU at most; hand heavier work to a queue.
* Do not assume sync code: an observer may be awaited.
* Take the session id from `inspector.context.get()`; do not make one.
* An observer that must not miss an event needs its own retry: the bus delivers once.

```python
from instrument import observe


def on_tool_call(tool_name, args, **kwargs):
    print(tool_name, args)


off = observe("before_tool_call", on_tool_call)
```

## For emitters

* Emit as close to the user-visible effect as possible: `after_tool_call` comes after the result was
  validated and before it is serialised.
* Pass everything by keyword.
* Do not emit in a hot loop: count there and emit once.
* Guard frequent single events, so that an unobserved one costs a dict look-up:
  `if _hooks.get("progress_update"): await _emit("progress_update", …)`.

## In tests

`instrument.testing.capture_hook(name)` records `(args, kwargs)` of every emission while its block
runs, with `async with` or `with`.

## Compatibility

A minor version adds hooks or kwargs.
Removing or renaming one, or changing what a call-back may expect, takes a major version and a
notice in the changelog.

| version | date | what |
| --- | --- | --- |
"""


def outputs() -> dict[Path, str]:
    """Return the page and its text."""
    nouns = "\n".join(_noun_row(noun) for noun in NOUNS.values())
    hooks = "\n".join(_hook_row(hook) for hook in CATALOGUE.values())
    control = "\n".join(_control_row(hook) for hook in CATALOGUE.values() if _is_listed(hook))
    history = "\n".join(f"| {version} | {date} | {what} |" for version, date, what in HISTORY)
    text = (
        f"{_HEAD}## Catalogue\n\n"
        "A kwarg with a version may be absent; all others are always there.\n\n"
        "| hook | when | kwargs | added |\n| --- | --- | --- | --- |\n"
        f"{hooks}\n\n{_IDENTITY}"
        "| noun | hooks | `op.args` reads | `op.result` becomes |\n"
        "| --- | --- | --- | --- |\n"
        f"{nouns}\n\n"
        "Any other noun works too: its hooks are named after it, and its output is `result`.\n\n"
        f"## What interceptors may change\n\n{_DECIDING}"
        "The value is what an interceptor replaces; its type must stay what it was.\n"
        "The same event in the other vocabularies is in the last column.\n\n"
        "| hook | writable | value | retry | stop gives | also known as |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        f"{control}\n\n{_TAIL}{history}\n"
    )
    return {Path("docs/instrumentation-hooks.md"): text}


def _hook_row(hook: Hook) -> str:
    shown = hook.kwargs[: -len(IDENTITY)] if _is_of_an_operation(hook) else hook.kwargs
    kwargs = ", ".join(
        f"`{kwarg.name}: {kwarg.type}`" + ("" if kwarg.always else f" ({kwarg.since})")
        for kwarg in shown
    ).replace("|", r"\|")
    return f"| `{hook.name}` | {hook.when} | {kwargs} | {hook.since} |"


def _is_of_an_operation(hook: Hook) -> bool:
    return any(hook.name in (noun.before, noun.after, noun.error) for noun in NOUNS.values())


def _noun_row(noun: Noun) -> str:
    hooks = " ".join(f"`{name}`" for name in (noun.before, noun.after, noun.error))
    reads = f"`{noun.input}`" if noun.input else ""
    return f"| `{noun.name}` | {hooks} | {reads} | `{noun.output}` |"


def _is_listed(hook: Hook) -> bool:
    return bool(hook.writable or hook.aliases)


def _control_row(hook: Hook) -> str:
    writable = ", ".join(f"`{name}`" for name in hook.writable)
    value = stop = ""
    if hook.value is not None:
        value = f"`{hook.value.kwarg}: {hook.value.input}`"
        if hook.value.output != hook.value.input:
            value += f" → `{hook.value.output}`"
        stop = f"`{hook.value.stop}`" if hook.value.stop else ""
    retry = "yes" if hook.retryable else ""
    aliases = ", ".join(
        f"{vocabulary} `{name}`" for vocabulary, names in hook.aliases.items() for name in names
    )
    cells = (f"`{hook.name}`", writable, value, retry, stop, aliases)
    return f"| {' | '.join(cells)} |"
