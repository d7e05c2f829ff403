"""A simulated disk that shows its content after a power loss at any moment.

Writes go through to the real files and are noted. What was flushed before the moment is there
after it; of what was not, each write is there, is missing, or is torn at a sector.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import apsw

SECTOR_BYTES = 512


@dataclass(frozen=True, slots=True)
class Write:
    path: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    path: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Flush:
    path: str
    is_lost: bool = False
    """It failed: what was waiting is thought clean by the system, and never written."""


@dataclass(frozen=True, slots=True)
class Remove:
    path: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that the test wants to know was before or after the loss."""

    value: int


Step: TypeAlias = Write | Truncate | Flush | Remove | Mark


class LosingDisk(apsw.VFS):
    """Notes every step; every connection that is opened while it lives uses it.

    Args:
        fails: Says of each flush whether it fails.
    """

    def __init__(self, fails: Iterator[bool] | None = None) -> None:
        self.steps: list[Step] = []
        self.fails = fails
        self.base = apsw.vfs_names()[0]
        super().__init__("losing", self.base, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        return _LosingFile(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - SQLite's name
        super().xDelete(filename, syncdir)
        self.steps.append(Remove(filename))


class _LosingFile(apsw.VFSFile):
    def __init__(self, disk: LosingDisk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        super().__init__(disk.base, name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802 - SQLite's name
        super().xWrite(data, offset)
        self._disk.steps.append(Write(self._path, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        super().xTruncate(newsize)
        self._disk.steps.append(Truncate(self._path, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        is_lost = self._disk.fails is not None and next(self._disk.fails)
        self._disk.steps.append(Flush(self._path, is_lost))
        if is_lost:
            raise apsw.IOError("a flush is told to fail")
        super().xSync(flags)


@contextmanager
def losing_disk(fails: Iterator[bool] | None = None) -> Iterator[LosingDisk]:
    """Put the disk under every connection that is opened inside."""
    disk = LosingDisk(fails)
    try:
        yield disk
    finally:
        disk.unregister()


@dataclass
class Platter:
    """Data that is on the disk, and data that is not yet synced, by path."""

    durable: dict[str, bytearray] = field(default_factory=dict)
    pending: defaultdict[str, list[Write | Truncate]] = field(
        default_factory=lambda: defaultdict(list)
    )
    marks: list[int] = field(default_factory=list)

    def apply(self, step: Step) -> None:
        """Let one more step happen."""
        match step:
            case Mark(value):
                self.marks.append(value)
            case Flush(path, is_lost):
                waiting = self.pending.pop(path, [])
                content = self.durable.setdefault(path, bytearray())
                for one in [] if is_lost else waiting:
                    _put(content, one)
            case Remove(path):
                self.durable.pop(path, None)
                self.pending.pop(path, None)
            case Write() | Truncate():
                self.pending[step.path].append(step)

    def left(self, chance: random.Random) -> dict[str, bytes]:
        """Return the possible files after a power loss now, by path."""
        files = {path: bytearray(content) for path, content in self.durable.items()}
        keeps = chance.choice([0.0, 0.5, 0.95, 1.0])
        for path, waiting in self.pending.items():
            for one in waiting:
                if chance.random() < keeps:
                    _put(files.setdefault(path, bytearray()), one)
                elif isinstance(one, Write) and chance.random() < 0.3:
                    _put(files.setdefault(path, bytearray()), _torn(one, chance))
        return {path: bytes(content) for path, content in files.items()}


def _put(content: bytearray, step: Write | Truncate) -> None:
    if isinstance(step, Truncate):
        del content[step.size_bytes :]
        return
    end = step.offset + len(step.data)
    content.extend(bytes(max(0, end - len(content))))
    content[step.offset : end] = step.data


def _torn(write: Write, chance: random.Random) -> Write:
    """Return the sectors of a write before, or from, some place in it."""
    cut = chance.randrange(0, len(write.data) + 1, SECTOR_BYTES)
    if chance.random() < 0.5:
        return Write(write.path, write.offset, write.data[:cut])
    return Write(write.path, write.offset + cut, write.data[cut:])


def put_back(files: dict[str, bytes], folder: Path) -> None:
    """Make `files` those of `folder`, and nothing else."""
    for old in folder.iterdir():
        old.unlink()
    for path, content in files.items():
        (folder / Path(path).name).write_bytes(content)
