from __future__ import annotations

import asyncio
import contextvars
import inspect
import subprocess
import sys

from inspector import context


def test_unknown_until_it_is_set() -> None:
    assert contextvars.Context().run(context.get) == "unknown"


async def test_tasks_inherit_the_session_and_may_change_their_own() -> None:
    async def child() -> str:
        inherited = context.get()
        context.set("child")
        return inherited

    context.set("parent")
    assert await asyncio.create_task(child()) == "parent"
    assert context.get() == "parent"


async def test_bind_gives_the_session_to_those_who_take_it() -> None:
    @context.bind
    def sync(a: int, session_id: str = "none") -> tuple[int, str]:
        return a, session_id

    @context.bind
    async def coroutine(session_id: str) -> str:
        return session_id

    @context.bind
    def any_keyword(**kwargs: str) -> dict[str, str]:
        return kwargs

    @context.bind
    def other(a: int) -> int:
        return a

    context.set("s")
    assert sync(1) == (1, "s")
    assert sync(1, "given") == (1, "given")
    assert sync(1, session_id="given") == (1, "given")
    assert await coroutine() == "s"  # type: ignore[call-arg] # bind fills it in
    assert inspect.iscoroutinefunction(coroutine)
    assert any_keyword() == {"session_id": "s"}
    assert other(2) == 2


def test_it_imports_nothing_but_the_standard_library() -> None:
    code = (
        "import sys; import inspector.context; "
        "print([m for m in sys.modules if m.split('.')[0] in "
        "{'instrument', 'subscribers', 'opentelemetry', 'fastapi', 'pydantic'}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
