"""Excerpts: the words of a query where they occur in a text, with their context. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from inspector.service.query.fields import QueryScope
from inspector.service.query.tree import All, Either, Node, Related, Relation, Text
from inspector.service.query.words import fold, has_words

MOST = 3
"""Limit of the excerpts of one span or session."""
MAX_MATCH_CHARS = 200
_AROUND_CHARS = 60
_MAX_MAPPED_CHARS = 16 * 1024


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of a query as they occur in a text.

    Attributes:
        place: The text's place: `name`, `status`, `event`, or the key of an attribute; of a
            session, `title`, `cause`, `answer` or `id`.
        before: The context before them; begins with `…` if there is more.
        match: The words themselves.
        after: The context after them; ends with `…` if there is more.
    """

    place: str
    before: str
    match: str
    after: str

    def reads_like(self, other: Excerpt) -> bool:
        """Return whether `other` has the same words in the same context."""
        return (self.match, self.after) == (other.match, other.after)


_REPEATS = {
    "mcp.llm.prompt_json": "gen_ai.input.messages",
    "mcp.llm.response_json": "gen_ai.output.messages",
    "mcp.tool.input_json": "gen_ai.tool.call.arguments",
    "mcp.tool.output_json": "gen_ai.tool.call.result",
}
"""Keys of our first convention → those of the current one with the same text in other JSON."""


def excerpts(texts: Iterable[tuple[str, str]], query: Node) -> list[Excerpt]:
    """Return the excerpts of `query`: each word once, then further places; `MOST` in all.

    Args:
        texts: The texts of a span or a session, with their places (`documents.placed_texts`,
            `documents.placed_session_texts`).
        query: A query for spans or for sessions.
    """
    sought = dict.fromkeys(list(dict.fromkeys(_words(query)))[:MOST], False)
    first: list[Excerpt] = []
    again: list[Excerpt] = []
    places: set[str] = set()
    for place, text in texts:
        places.add(place)
        if all(sought.values()) and len(first) + len(again) >= MOST:
            break
        for one, is_found in sought.items():
            if at := _find(text, one):
                excerpt = _excerpt(place, text, *at)
                # Spans may have the same text by two conventions.
                if is_found and _REPEATS.get(place) in places:
                    continue
                if is_found and any(excerpt.reads_like(other) for other in (*first, *again)):
                    continue
                (again if is_found else first).append(excerpt)
                sought[one] = True
    return [*first, *again][:MOST]


def _words(node: Node) -> Iterator[Text]:
    """Yield the text conditions on the span itself, not negated or related ones."""
    match node:
        case All(parts) | Either(parts):
            for part in parts:
                yield from _words(part)
        case Related(Relation.SPAN, part):
            yield from _words(part)
        case Text(scope=QueryScope.SPAN):
            yield node


def _find(text: str, sought: Text) -> tuple[int, int] | None:
    """Return the start and the end of the words in `text`."""
    if at := _pattern(sought.words, sought.is_prefix).search(text):
        return at.span()
    text = text[:_MAX_MAPPED_CHARS]
    if text.isascii() or not has_words(fold(text), sought.words, is_prefix=sought.is_prefix):
        return None
    return _find_folded(text, sought)


@lru_cache(256)
def _pattern(words: str, is_prefix: bool) -> re.Pattern[str]:
    """Return a pattern for words without accents, the most frequent spelling."""
    between = r"[\W_]+".join(map(re.escape, words.split(" ")))
    end = "" if is_prefix else r"(?![^\W_])"
    return re.compile(rf"(?<![^\W_]){between}{end}", re.IGNORECASE)


def _find_folded(text: str, sought: Text) -> tuple[int, int] | None:
    """Fold character by character, so that each match has a place in the original text."""
    folded: list[str] = [" "]
    origin: list[int] = [0]
    for place, character in enumerate(text):
        for piece in _plain(character):
            if piece != " " or folded[-1] != " ":
                folded.append(piece)
                origin.append(place)
    folded.append(" ")
    origin.append(len(text))
    wanted = f" {sought.words}" + ("" if sought.is_prefix else " ")
    start = "".join(folded).find(wanted)
    if start < 0:
        return None
    last = start + len(wanted) - (1 if sought.is_prefix else 2)
    return origin[start + 1], origin[last] + 1


@lru_cache(4096)
def _plain(character: str) -> str:
    """Return a character as folded: letters, a space, or nothing if it is an accent."""
    plain = fold(character)
    if not plain:
        return "" if fold(f"a{character}a") == "aa" else " "
    is_alone = len(fold(character * 2)) > 2 * len(plain)
    return f" {plain} " if is_alone else plain


def _excerpt(place: str, text: str, start: int, end: int) -> Excerpt:
    first, last = max(start - _AROUND_CHARS, 0), min(end + _AROUND_CHARS, len(text))
    match = text[start:end]
    if len(match) > MAX_MATCH_CHARS:
        match = match[:MAX_MATCH_CHARS] + "…"
    before, after = text[first:start], text[end:last]
    return Excerpt(
        place,
        ("…" if first else "") + before,
        match,
        after + ("…" if last < len(text) else ""),
    )
