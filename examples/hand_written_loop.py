"""An agent without a framework: a loop, two tools, and a person who is asked before one of them.

Run `inspector serve` first, then this; the question waits on the page.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import inspector
from instrument import Decision, intercept

FOLDER = Path(tempfile.mkdtemp(prefix="hand-written-loop-"))


@inspector.tool
def list_files(pattern: str = "*") -> list[str]:
    """List the files of the working folder."""
    return sorted(path.name for path in FOLDER.glob(pattern))


@inspector.tool
def delete_file(name: str) -> str:
    """Delete a file of the working folder."""
    (FOLDER / name).unlink()
    return f"{name} is gone"


TOOLS: dict[str, Callable[..., Any]] = {"list_files": list_files, "delete_file": delete_file}


def ask_before_deletion(tool_name: str, args: dict[str, Any], **_: Any) -> Decision | None:
    """Let a person decide about deletions."""
    if tool_name != "delete_file":
        return None
    return Decision.ask_user(f"Delete {args['name']}?", timeout=600)


def model(task: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Stand for a model: name the tools to call, and their arguments."""
    yield "list_files", {}
    yield "delete_file", {"name": "draft.txt"}


@inspector.agent
def clean_up(task: str) -> str:
    """Call what the model asks for, and tell it what came of it."""
    done = []
    for name, args in model(task):
        try:
            result = TOOLS[name](**args)
        except inspector.HookDenied as denied:  # the model reads why, and goes on
            result = f"refused: {denied.reason}"
        done.append(f"{name}: {result}")
    return "\n".join(done)


if __name__ == "__main__":
    inspector.attach(service_name="hand-written-loop")
    intercept("before_tool_call", ask_before_deletion, on_error="deny")
    for file in ("draft.txt", "report.txt"):
        (FOLDER / file).write_text("words")
    with inspector.session("clean-up-1", user="ada", tags=["example"], title="Clean up"):
        print(clean_up("Remove the drafts."))
    print("left:", ", ".join(list_files()))
