"""The text of an answer while it is streamed: bounded, and without secrets.

A secret may come in two chunks. So what came is joined and redacted as a whole, before it is cut,
and its end is held back while it may be the beginning of a secret. The agent's thread only appends;
the thread that sends does the rest, at its own pace, so the cost of a chunk does not grow with the
text.
"""

from __future__ import annotations

import re
from collections import deque

from subscribers.content.redaction import REDACTED, Redactor
from subscribers.content.serialise import clean_text

MAX_SHOWN_CHARS = 4_096
"""The end of the text that is sent."""
MAX_STORED_CHARS = 65_536
"""Limit of the text that waits for the sender, and of the text that may be part of a secret."""
_SETTLED_ABOVE_CHARS = 16_384
"""From this length on the older half is redacted for good, where no secret crosses its end."""
_MAX_PLACES = 8
_MAX_UNFINISHED_CHARS = 1_300
"""The longest beginning of a secret that no rule recognises yet: `://user:password`."""
_UNFINISHED_OWN_CHARS = 128
"""The same for the user's own rules, of which nothing is known."""

# Of text that is read backwards. What no rule recognises yet has neither spaces nor quotes.
_UNFINISHED = re.compile(rf"[!#-&(-;=?-~]{{0,{_MAX_UNFINISHED_CHARS}}}")
_ASSIGNED = re.compile(r"[^\s:=\"']{0,4}[:=]")


class TextSoFar:
    """The text of one answer, as far as it came.

    Args:
        redactor: Removes secrets; None leaves the text as it is.

    Attributes:
        chars: Length of all that came.
    """

    __slots__ = ("_is_full", "_pieces", "_raw", "_read_chars", "_redactor", "_settled", "chars")

    def __init__(self, redactor: Redactor | None) -> None:
        self.chars = 0
        self._redactor = redactor
        self._pieces: deque[str] = deque()
        self._read_chars = 0
        self._is_full = False
        self._raw = ""
        self._settled = ""
        """The end of what is redacted for good, before `_raw`."""

    def add(self, text: str) -> None:
        """Append a text; one that would wait behind too much ends the collection."""
        self.chars += len(text)
        if self.chars - self._read_chars > MAX_STORED_CHARS:
            self._is_full = True  # without it the rest would not be joined to what it follows
        if not self._is_full:
            self._pieces.append(text)

    def shown(self) -> str:
        """Return the end of the text, without secrets and without what may become one."""
        new = [self._pieces.popleft() for _ in range(len(self._pieces))]
        self._raw += "".join(new)
        self._read_chars += sum(map(len, new))
        redactor = self._redactor
        if redactor is None:
            self._raw = self._raw[-MAX_SHOWN_CHARS:]
            return clean_text(self._raw)
        if len(self._raw) > _SETTLED_ABOVE_CHARS:
            self._settle(redactor)
        text = self._settled + redactor.text(self._raw)
        text = text[: len(text) - _unfinished_chars(text, redactor)]
        return clean_text(text[-MAX_SHOWN_CHARS:])

    def _settle(self, redactor: Redactor) -> None:
        """Redact the older half for good, up to a space that is not within a secret."""
        whole, at = redactor.text(self._raw), len(self._raw) // 2
        for _ in range(_MAX_PLACES):
            at = max(self._raw.rfind("\n", 0, at), self._raw.rfind(" ", 0, at))
            if at <= 0:
                break
            head = redactor.text(self._raw[:at])
            # At the very end it may go on: a private key has many lines.
            is_apart = not head.endswith(REDACTED)
            if is_apart and head + redactor.text(self._raw[at:]) == whole:
                self._settled = (self._settled + head)[-MAX_SHOWN_CHARS:]
                self._raw = self._raw[at:]
                return
        if len(self._raw) > MAX_STORED_CHARS:
            self._is_full = True


def _unfinished_chars(text: str, redactor: Redactor) -> int:
    """Return the length of the end of `text` that may be the beginning of a secret."""
    backwards = text[: -_MAX_UNFINISHED_CHARS - 1 : -1]
    found = _UNFINISHED.match(backwards), _ASSIGNED.match(backwards)
    least = _UNFINISHED_OWN_CHARS if redactor.has_own_rules else 0
    return min(len(text), max(least, *(match.end() for match in found if match is not None)))
