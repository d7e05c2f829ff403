"""What the context of an LLM call consists of, by the characters of its messages. Pure.

A sender reports the tokens of its input in one number. Which part of the context took how many is
estimated: each takes the share of these tokens that it has of the characters. Of pictures and sound
only the number is known: their tokens do not go by their length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, get_args

from inspector.service.model.nesting import parse
from inspector.service.model.otlp_values import flat_attributes
from inspector.service.model.records import Content
from inspector.service.wire import Message, Part, ToolDefinition, View
from inspector.service.wire.context import PartName

PARTS: Final[tuple[PartName, ...]] = get_args(PartName)
"""In the order in which they are shown."""

MIN_REPEATED_CHARS: Final = 40
"""Shorter texts are the same by chance: `ok`, `[]`."""
MIN_RETRIEVED_CHARS: Final = 32
MAX_RETRIEVED: Final = 100
"""Limit of the retrieved texts that are looked for in one context."""
_BEGINNING_CHARS: Final = 200
_INSTRUCTING: Final = ("system", "developer")
_RETRIEVING_ROLES: Final = ("context", "document", "documents", "retrieval")
_RETRIEVED_TYPES: Final = ("document", "search", "retriev")
_OUTPUTS: Final = (
    "gen_ai.retrieval.documents",
    "output.value",
    "traceloop.entity.output",
    "inspector.rpc.response",
)


class Passage(NamedTuple):
    """A text of a context: a part of a message, or what was retrieved of it, or a tool."""

    part: PartName
    chars: int
    pointer: str
    """Its place in the answer about the span: a JSON Pointer (RFC 6901)."""
    likeness: int
    """Equal for equal texts."""
    beginning: str


class PartSum(NamedTuple):
    """The pieces of one part together."""

    part: PartName
    chars: int = 0
    tokens: int | None = None
    """Estimated; None: the sender reports none."""
    repeated_chars: int = 0
    dropped_chars: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """The context of an LLM call, beside that of the call before."""

    pieces: Sequence[Passage]
    repeats: dict[int, int]
    """Index of a piece whose text stands there before → index of the first one."""
    dropped: Sequence[Passage]
    """Pieces of the call before that this one was not sent."""
    media: int
    """Number of pictures and the like, which are not measured."""

    def sums(self, input_tokens: int | None) -> list[PartSum]:
        """Return the parts that are there or were dropped, in order."""
        chars, repeated, dropped = (Counter[PartName]() for _ in range(3))
        for place, piece in enumerate(self.pieces):
            chars[piece.part] += piece.chars
            if place in self.repeats:
                repeated[piece.part] += piece.chars
        for piece in self.dropped:
            dropped[piece.part] += piece.chars
        names = [name for name in PARTS if chars[name] or dropped[name]]
        of = [chars[name] for name in names]
        tokens = [None] * len(of) if input_tokens is None else scaled(of, input_tokens)
        return [
            PartSum(name, chars[name], share, repeated[name], dropped[name])
            for name, share in zip(names, tokens, strict=True)
        ]


def context_of(
    pieces: Sequence[Passage],
    media: int,
    before: Sequence[Passage] = (),
    *,
    is_same_run: bool = True,
) -> Context:
    """Compare a context with itself and with the one before it.

    Args:
        pieces: The context.
        media: Number of pictures and the like in it.
        before: The context of the call before of the same agent.
        is_same_run: Whether that call is of the same run. Another run goes on with a conversation,
            or begins one of its own, which has dropped nothing.
    """
    now = {piece.likeness for piece in pieces}
    goes_on = is_same_run or any(
        piece.likeness in now for piece in before if piece.part not in ("system", "tools")
    )
    dropped = [piece for piece in before if piece.likeness not in now] if goes_on else []
    repeats: dict[int, int] = {}
    first: dict[tuple[int, bool], int] = {}
    for place, piece in enumerate(pieces):
        if piece.chars < MIN_REPEATED_CHARS:
            continue
        # The two pieces of a text that was retrieved in part are no repetition.
        before_it = first.setdefault((piece.likeness, piece.part == "retrieved"), place)
        if before_it != place:
            repeats[place] = before_it
    return Context(pieces, repeats, dropped, media)


def pieces_of(view: View, retrieved: Iterable[str] = ()) -> tuple[list[Passage], int]:
    """Return the pieces of an LLM call's context, and the number of its pictures and the like.

    Args:
        view: The LLM call.
        retrieved: Texts that were retrieved before it. Where one stands in the context it is
            retrieved, wherever it stands.
    """
    wanted = sorted(set(retrieved), key=len, reverse=True)[:MAX_RETRIEVED]
    found: list[Passage] = []
    media = 0
    tools = view.llm.tools_offered if view.llm is not None else []
    for at, tool in enumerate(tools):
        pointer = f"/view/llm/tools_offered/{at}"
        found += _split("tools", _tool_text(tool), pointer, ())
    for at, message in enumerate(view.messages):
        if message.origin == "output":
            continue
        for number, part in enumerate(message.parts):
            if part.type in ("blob", "link"):
                media += 1
            pointer = f"/view/messages/{at}/parts/{number}"
            found += _split(_part_name(message, part), _text(part), pointer, wanted)
    order = {name: place for place, name in enumerate(PARTS)}
    # Instructions, then tools, then the rest as it was sent: what a cache has is the beginning.
    found.sort(key=lambda piece: min(order[piece.part], 2))
    return found, media


def scaled(parts: Sequence[int], total: int) -> list[int]:
    """Share `total` out by the size of `parts`; the shares add up to it, unless all are 0."""
    whole = sum(parts)
    if whole == 0:
        return [0] * len(parts)
    shares = [size * total // whole for size in parts]
    # Those that lost most by rounding get what is left.
    places = sorted(range(len(parts)), key=lambda at: -(parts[at] * total % whole))
    for place in places[: total - sum(shares)]:
        shares[place] += 1
    return shares


def retrieved_texts(content: Content) -> list[str]:
    """Return the texts that a retrieval returned, as far as they are long enough to be known."""
    found: list[str] = []
    for key, value in flat_attributes(content.span().attributes).items():
        if key in _OUTPUTS or ("document" in key and key.endswith((".content", ".text"))):
            found += _long_texts(value)
    return list(dict.fromkeys(found))[:MAX_RETRIEVED]


def _long_texts(value: object) -> Iterator[str]:
    """Yield the long texts at the leaves of a value, which may be JSON text."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str) and len(one) >= MIN_RETRIEVED_CHARS:
            inner = _parsed(one)
            if inner is None:
                yield one.strip()
            else:
                left.append(inner)


def _parsed(text: str) -> dict[str, object] | list[object] | None:
    if text[:1] not in ("{", "["):
        return None
    try:
        found = parse(text)
    except ValueError:
        return None
    return found if isinstance(found, (dict, list)) else None


def _split(part: PartName, text: str, pointer: str, retrieved: Iterable[str]) -> list[Passage]:
    """Return the piece of a text, and the one of what was retrieved of it."""
    if not text:
        return []
    likeness, beginning = hash(text), text[:_BEGINNING_CHARS]
    chars = 0 if part in ("system", "retrieved") else _covered(text, retrieved)
    if chars == 0:
        return [Passage(part, len(text), pointer, likeness, beginning)]
    own = Passage(part, len(text) - chars, pointer, likeness, beginning)
    inside = Passage("retrieved", chars, pointer, likeness, beginning)
    return [own, inside] if own.chars else [inside]


def _covered(text: str, retrieved: Iterable[str]) -> int:
    """Return how many characters of a text are in retrieved texts; chunks may overlap."""
    starts = ((text.find(one), len(one)) for one in retrieved if len(one) <= len(text))
    covered, until = 0, 0
    for start, end in sorted((start, start + length) for start, length in starts if start >= 0):
        covered += max(0, end - max(start, until))
        until = max(until, end)
    return covered


def _part_name(message: Message, part: Part) -> PartName:
    role = message.role.lower()
    if message.origin == "system" or role in _INSTRUCTING:
        return "system"
    match part.type:
        case "tool_result":
            return "tool_results"
        case "other":
            is_retrieved = any(word in part.part_type.lower() for word in _RETRIEVED_TYPES)
            return "retrieved" if is_retrieved else "other"
        case "blob" | "link":
            return "other"
        case _:
            if role in _RETRIEVING_ROLES:
                return "retrieved"
            return "tool_results" if role in ("tool", "function") else "history"


def _text(part: Part) -> str:
    match part.type:
        case "text" | "reasoning":
            return part.text
        case "tool_call":
            return f"{part.name}{part.arguments.text if part.arguments else ''}"
        case "tool_result":
            return part.result.text if part.result else ""
        case "other":
            return part.value.text
        case "blob" | "link":
            return ""


def _tool_text(tool: ToolDefinition) -> str:
    parameters = tool.parameters.text if tool.parameters else ""
    return f"{tool.name}{tool.description or ''}{parameters}"
