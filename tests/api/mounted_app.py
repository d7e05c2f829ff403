"""A web app with the inspector mounted; run with uvicorn by `tests/api/test_mount.py`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

import inspector
import instrument


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, str]]:
    yield {"greeting": "hello"}


app = FastAPI(lifespan=lifespan)
inspector.mount(app)


@app.get("/work")
async def work() -> dict[str, str | int]:
    async with instrument.operation(
        "tool_call", tool_name=f"lookup-{os.getpid()}", args={"q": "x"}
    ) as op:
        op.result = "found"
    return {"done": "yes", "pid": os.getpid()}
