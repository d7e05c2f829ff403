"""A SQLite VFS whose faults can be switched on and off.

`python -m tests.support.faults.faulty_disk` is `inspector` on such a disk; nothing of it knows.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import apsw

TROUBLE = "FAULTY_DISK"
"""Names a file with the trouble in it; empty or missing: none."""


class FaultyDisk(apsw.VFS):
    """The system's files, until `trouble` names one of `full`, `read_only`, `io`, `sync`, `read`.

    While it lives, every connection that is opened uses it.
    """

    def __init__(self, switch: Path) -> None:
        self._switch = switch
        self.base = apsw.vfs_names()[0]
        super().__init__("faulty", self.base, makedefault=True)

    @property
    def trouble(self) -> str:
        """The current faults."""
        try:
            return self._switch.read_text()
        except FileNotFoundError:
            return ""

    @trouble.setter
    def trouble(self, trouble: str) -> None:
        self._switch.write_text(trouble)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        """Open a file."""
        return _FaultyFile(self, name, flags)


class _FaultyFile(apsw.VFSFile):
    def __init__(self, disk: FaultyDisk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        super().__init__(disk.base, name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802 - SQLite's name
        self._refuse(full=apsw.FullError, read_only=apsw.ReadOnlyError, io=apsw.IOError)
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        self._refuse(read_only=apsw.ReadOnlyError, io=apsw.IOError)
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        self._refuse(io=apsw.IOError, sync=apsw.IOError)
        super().xSync(flags)

    def xRead(self, amount: int, offset: int) -> Any:  # noqa: N802 - SQLite's name
        self._refuse(read=apsw.IOError)
        return super().xRead(amount, offset)

    def _refuse(self, **errors: type[apsw.Error]) -> None:
        if error := errors.get(self._disk.trouble):
            raise error("the disk is told to fail")


if __name__ == "__main__":
    from inspector.cli.main import run

    disk = FaultyDisk(Path(os.environ[TROUBLE]))
    sys.argv[0] = "inspector"
    run()
