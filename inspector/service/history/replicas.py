"""The servers of a replicated history: each gets the tables, and shows up to where it has all."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from dataclasses import replace

from inspector.errors import HistoryError
from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse, SilentServerError
from inspector.service.history.copier import End
from inspector.service.history.schema import NotReplicatedError, migrate
from inspector.service.history.tables import COLUMNS, POSITION

_AGAIN_S = 5.0
_LOOK_S = 5.0
"""Interval of the look whether a replica is there, while nothing is inserted."""
_BEHIND_S = 5.0
"""Time after which a replica that lacks something is reported."""
_ALL_S = 1.0
_ANY_S = 5.0
"""Limits of the wait for all replicas to show what they have, and for one."""
_SYNC_S = 330.0
"""More than the limit of a server: what it does not finish goes on there, and would pile up."""


class Replicas:
    """Watches each server in a thread of its own.

    Args:
        address: Of all servers.
        password: Of the user.
        copies: The number of replicas that must have what counts as copied.
    """

    def __init__(self, address: HistoryAddress, password: str, copies: int) -> None:
        self._address = address
        self._password = password
        self._copies = copies
        self._changed = threading.Condition()
        self._beginning = 0
        self._inserted = End(again=0)
        self._has: dict[str, End] = {}
        """By server: the end of what was inserted before its last look for it."""
        self._troubles: dict[str, HistoryError] = {}
        self._waits_since_s: dict[str, float] = {}
        self._names: dict[str, str] = {}
        """By the name that a server has for itself."""
        for one in address.each():
            threading.Thread(target=self._watch, args=(one,), daemon=True).start()

    def begin(self) -> HistoryAddress:
        """Forget what the servers have; return the address, first of those that show it again."""
        each = self._address.each()
        with self._changed:
            self._beginning += 1
            self._inserted = End(again=0)
            self._has.clear()
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: len(self._has.keys() | self._troubles.keys()) == len(each), _ALL_S
            )
            self._changed.wait_for(lambda: self._has or len(self._troubles) == len(each), _ANY_S)
        best = sorted(each, key=lambda one: not self.has_all(one))
        return replace(self._address, hosts=tuple(one.hosts[0] for one in best))

    def has_all(self, server: HistoryAddress) -> bool:
        """Return whether a server has all that was inserted before the beginning."""
        return str(server) in self._has

    def check(self, server: HistoryAddress) -> None:
        """Raise where the history is not to be read and written by this server.

        Raises:
            HistoryError: Another one has more, or a table that is no replica.
        """
        with self._changed:
            for trouble in self._troubles.values():
                if isinstance(trouble, NotReplicatedError):
                    raise trouble
            if self._has and not self.has_all(server):
                raise HistoryError(f"The replica {server} is behind others.", is_passing=True)

    def confirmed(self, inserted: End) -> End:
        """Take the end of what is inserted; return that of what enough replicas have."""
        with self._changed:
            self._inserted = inserted
            self._changed.notify_all()
            most = sorted(self._has.values(), reverse=True)
        return most[self._copies - 1] if len(most) >= self._copies else End()

    def troubles(self) -> list[str]:
        """Return a sentence on each replica that is behind or does not answer."""
        with self._changed:
            late_s = time.monotonic() - _BEHIND_S
            behind = {
                name: f"The replica {name} is behind: it lacks some of what was copied."
                for name, since_s in self._waits_since_s.items()
                if since_s < late_s
            }
            return [*(behind | {name: str(one) for name, one in self._troubles.items()}).values()]

    def _watch(self, server: HistoryAddress) -> None:
        name = str(server)
        while True:
            began_s, trouble = time.monotonic(), None
            try:
                with closing(ClickHouse(server, self._password)) as client:
                    client.connect()
                    with client.watched():
                        migrate(client, self._copies)
                        self._identify(name, client)
                        while self._sync(name, client):
                            pass
            except HistoryError as error:
                trouble = error
            except Exception as error:  # noqa: BLE001 - it is reported, and tried again
                trouble = HistoryError(f"Cannot watch {name}: {error!r}.", is_passing=True)
            if trouble is not None:
                with self._changed:
                    self._troubles[name] = trouble
                    self._changed.notify_all()
            time.sleep(max(began_s + _AGAIN_S - time.monotonic(), 0))

    def _identify(self, name: str, client: ClickHouse) -> None:
        """Refuse a server that is named twice: it would count as two."""
        found = client.rows("SELECT substitution AS id FROM system.macros WHERE macro = 'replica'")
        with self._changed:
            same = self._names.setdefault(str(found[0]["id"]), name)
        if same != name:
            raise HistoryError(
                f"The replica {name} is {same} under another name. Name each once in "
                "INSPECTOR_HISTORY.",
                is_passing=False,
            )

    def _sync(self, name: str, client: ClickHouse) -> bool:
        """Wait until a replica has what is inserted by now; return whether it could be asked."""
        with self._changed:
            self._changed.wait_for(lambda: self._has.get(name) != self._inserted, _LOOK_S)
            end, beginning = self._inserted, self._beginning
            self._waits_since_s.setdefault(name, time.monotonic())
        parts = " LIGHTWEIGHT" if client.can_sync_parts else ""
        try:
            for table in COLUMNS.keys() - {POSITION.name}:
                client.run(f"SYSTEM SYNC REPLICA {table}{parts}", _SYNC_S)
        except HistoryError as error:
            if isinstance(error, SilentServerError) or not error.is_passing:
                raise
            return False  # it is behind, or went away: a new connection shows which
        with self._changed:
            self._troubles.pop(name, None)
            self._waits_since_s.pop(name, None)
            if beginning == self._beginning:
                self._has[name] = end
                self._changed.notify_all()
        return True
