"""The cost of an LLM call whose sender does not say it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.errors import SettingsError
from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.otlp_values import as_cost_usd, as_text, as_token_count
from inspector.service.model.records import SpanRecord
from inspector.service.model.rows import Json, SpanKind
from inspector.service.normalise import keys
from inspector.service.normalise.kinds import counts_one_model_call
from inspector.service.normalise.providers import provider_of
from inspector.service.normalise.usage import usage_of
from inspector.service.prices.listed import MAX_NAME_CHARS, PACKAGE, CalledModel, PriceList
from inspector.service.prices.locked import LOCKED_DATE, LOCKED_VERSION

if TYPE_CHECKING:
    from subscribers.bridge.prices import PriceList as PriceFile

_log = logging.getLogger("inspector.prices")
# In the user's file, which has no prices for audio.
_OFFICIAL = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cache_read_tokens": "gen_ai.usage.cache_read.input_tokens",
    "cache_write_tokens": "gen_ai.usage.cache_write.input_tokens",
}
_AUDIO = {
    "input_audio_tokens": keys.AUDIO_INPUT_TOKENS,
    "output_audio_tokens": keys.AUDIO_OUTPUT_TOKENS,
    "cache_audio_read_tokens": keys.AUDIO_CACHE_READ_TOKENS,
}


class ListState(StrEnum):
    """Whether the price list can be used."""

    NOT_NEEDED = "not_needed"
    """No LLM call needed it yet: it is loaded with the first one."""
    LOADED = "loaded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ListInfo:
    """Which price list is in use."""

    name: str
    version: str | None
    date: str | None
    """When this version was published; None if that is not known."""
    state: ListState


class Pricing:
    """Says what LLM calls cost. Any thread may ask; the first to need the list loads it.

    Args:
        file: The user's own prices. They come first.
    """

    def __init__(self, file: PriceFile | None = None) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._list: PriceList | None = None
        self._state = ListState.NOT_NEEDED

    @classmethod
    def with_file(cls, path: Path | None) -> Pricing:
        """Return the pricing with the user's file, if there is one.

        Raises:
            SettingsError: The file cannot be read, or has an invalid entry.
        """
        if path is None:
            return cls()
        # It brings the bridge with it, which a service without such a file has no use for.
        from subscribers.bridge.prices import load_prices  # noqa: PLC0415
        from subscribers.errors import PriceError  # noqa: PLC0415

        try:
            return cls(load_prices(path))
        except PriceError as error:
            raise SettingsError(f"Cannot start: {error}") from error

    @property
    def list_info(self) -> ListInfo:
        """The price list in use."""
        try:
            installed = version(PACKAGE)
        except PackageNotFoundError:
            installed = None
        date = LOCKED_DATE if installed == LOCKED_VERSION else None
        return ListInfo(PACKAGE, installed, date, self._state)

    def price(self, spans: Iterable[IncomingSpan]) -> None:
        """Set the cost of the LLM calls that have ended, where the sender does not say it."""
        for incoming in spans:
            record, facts = incoming.record, incoming.content.facts
            if facts is not None and record.cost_usd is None and is_priced(record):
                record.cost_usd = self.cost_usd(record, facts.attributes)

    def cost_usd(self, record: SpanRecord, attributes: Mapping[str, Json]) -> float | None:
        """Return the cost of an LLM call in USD; None if its tokens or its price are not known.

        Args:
            record: The span.
            attributes: Its attributes; others than those of names, tokens and providers may lack.
        """
        counts = _counts(attributes, record.kind)
        if counts is None:
            return None
        call, start_ns = _call(attributes, record.model), record.start_ns
        if self._file is not None and (found := self._in_file(call, counts)) is not None:
            return as_cost_usd(found)
        prices = self._loaded()
        try:
            return None if prices is None else as_cost_usd(prices.cost_usd(call, counts, start_ns))
        except Exception:  # noqa: BLE001 - the request that the call came with is stored
            _log.warning("Cannot compute the cost of a call of %r", call.models, exc_info=True)
            return None

    def _in_file(self, call: CalledModel, counts: Mapping[str, int]) -> float | None:
        assert self._file is not None
        facts = {name: counts[key] for key, name in _OFFICIAL.items() if key in counts}
        provider = {"gen_ai.provider.name": call.provider}
        for name in call.models:
            found = self._file.cost({**facts, **provider, "gen_ai.request.model": name})
            if found is not None:
                return found
        return None

    def _loaded(self) -> PriceList | None:
        if self._state is ListState.NOT_NEEDED:
            with self._lock:
                if self._state is ListState.NOT_NEEDED:
                    self._load()
        return self._list

    def _load(self) -> None:
        try:
            self._list = PriceList()
            self._state = ListState.LOADED
        except Exception:  # noqa: BLE001 - whatever is wrong with it, telemetry is stored
            self._state = ListState.FAILED
            _log.exception("Cannot load the prices of %s; they are not used for costs", PACKAGE)


def is_priced(record: SpanRecord) -> bool:
    """Return whether a span is an LLM call that has ended and says how many tokens it used."""
    return (
        counts_one_model_call(record.kind, record.model)
        and record.end_ns is not None
        and (record.input_tokens is not None or record.output_tokens is not None)
    )


def _call(attributes: Mapping[str, Json], model: str | None) -> CalledModel:
    groups = (keys.MODEL_RESPONDED, keys.MODEL_REQUESTED)
    names = (*(as_text(keys.first(attributes, group)) for group in groups), model)
    return CalledModel(
        tuple(dict.fromkeys(name for name in names if name and len(name) <= MAX_NAME_CHARS)),
        _short(provider_of(attributes)),
        _short(as_text(keys.first(attributes, keys.SERVER_ADDRESS))),
        _short(as_text(keys.first(attributes, keys.SERVICE_TIER))),
    )


def _short(name: str | None) -> str | None:
    return name if name is None or len(name) <= MAX_NAME_CHARS else None


def _counts(attributes: Mapping[str, Json], kind: SpanKind) -> dict[str, int] | None:
    """Return what a call used, by the names of the price list; None if that is not known."""
    usage = usage_of(attributes, kind)
    if usage is None or usage.input_tokens is None:
        return None
    if usage.output_tokens is None and kind is not SpanKind.EMBEDDING:
        return None
    counts = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens or 0,
        "requests": 1,
        "cache_read_tokens": usage.cache_read_tokens or 0,
        "cache_write_tokens": usage.cache_write_tokens or 0,
        "output_reasoning_tokens": usage.reasoning_tokens or 0,
    }
    for key, names in _AUDIO.items():
        if count := as_token_count(keys.first(attributes, names)):
            counts[key] = count
    # More of a part than of the whole: the sender counts the part apart.
    if usage.is_suspect:
        counts["input_tokens"] += counts["cache_read_tokens"] + counts["cache_write_tokens"]
    if counts["output_reasoning_tokens"] > counts["output_tokens"]:
        counts["output_tokens"] += counts["output_reasoning_tokens"]
    return counts
