"""Write every generated file: `make gen`.

Each module `tools/generate_*.py` has `outputs() -> dict[Path, str]`: paths relative to the
repository and their whole text. A test calls the same functions and compares.
"""

from __future__ import annotations

import importlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def all_outputs() -> dict[Path, str]:
    """Return every generated file with its fresh text."""
    outputs: dict[Path, str] = {}
    for module in sorted(Path(__file__).parent.glob("generate_*.py")):
        outputs.update(importlib.import_module(f"tools.{module.stem}").outputs())
    return outputs


def main() -> None:
    """Write the files that are stale."""
    for path, text in all_outputs().items():
        target = ROOT / path
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            print(f"wrote {path}")  # noqa: T201 - it is a command


if __name__ == "__main__":
    main()
