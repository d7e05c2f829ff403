"""Search sessions in any order, one chunk at a time.

Their places are read first, from narrow indexes and many at once: to find the next few takes as
long as to find the next thousands.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from inspector.service.model.records import SessionRecord
from inspector.service.query.tree import Node
from inspector.service.storage.base import Chunk, Reader
from inspector.service.storage.orders import Order, SortPosition

_MANY = 8_192
"""Places that are read together, after the first few were not enough."""


@dataclass(slots=True)
class Sorted:
    """One listing. Each call of `read` continues where the last one ended.

    Args:
        reader: The snapshot.
        node: The condition.
        order: The order of the listing.
        among: Ids of all sessions that may match; None: any may.
    """

    reader: Reader
    node: Node
    order: Order
    among: Collection[str] | None = None
    _ahead: list[SortPosition] = field(default_factory=list)
    _is_more: bool = True

    def read(self, after: SortPosition | None, most: int) -> Chunk[SessionRecord, SortPosition]:
        """Read the next `most` sessions after a place; return those that may match."""
        if len(self._ahead) <= most and self._is_more:
            self.find(after, max(most, _MANY))
        here, self._ahead = self._ahead[:most], self._ahead[most:]
        records = {one.row.id: one for one in self.reader.sessions([id_ for _, id_ in here])}
        return Chunk([records[id_] for _, id_ in here], here[-1] if self._ahead else None)

    def find(self, after: SortPosition | None, most: int) -> None:
        """Find the next `most` places, and whether there are more."""
        wanted = most + 1
        self._ahead = self.reader.session_places(self.node, self.order, after, wanted, self.among)
        self._is_more = len(self._ahead) == wanted
