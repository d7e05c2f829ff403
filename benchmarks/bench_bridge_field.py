# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "logfire>=5.2",
#     "openai>=3",
#     "openinference-instrumentation-openai>=0.1.66",
#     "opentelemetry-instrumentation-openai>=0.62",
#     "opentelemetry-sdk>=1.45",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""Cost to the agent of one watched call: ours beside other instrumentations.

The same call for all, with its content (500 characters in, 500 out) recorded:

* *an LLM call* through the `openai` package, whose HTTP request is replaced by an answer at hand
  and whose checking of parameters (0.6 ms) is left out, so that only what is added stands out.
  OpenInference, OpenLLMetry and Logfire patch the package; with us whoever makes the call says so
  to the bus (`operation`).
* *a tool call*: a Python function that returns a dict. OpenInference and Logfire decorate it.
  (OpenLLMetry's decorator comes only with its whole SDK, which holds OpenTelemetry back.)

"adds" is CPU time of the calling thread above the same call with nobody watching. The floor, "SDK",
is a span that is made by hand with this row's very attributes, already computed. Each figure is
from the best of interleaved rounds. What leaves the process is sent by other threads and is not
counted, for nobody. Run: `make bench`, or `uv run --script benchmarks/bench_bridge_field.py`
(about a minute), which installs the others in an environment of their own.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import logfire
import openai
from bridge_parts import Call, Keep, Row, bridged, by_hand, in_memory_provider, measure
from openai._utils import is_given
from openai.resources.chat.completions import Completions, completions
from openai.types.chat import ChatCompletion
from openinference.instrumentation import OITracer, TraceConfig
from openinference.instrumentation.openai import OpenAIInstrumentor as OpenInference
from opentelemetry.instrumentation.openai import OpenAIInstrumentor as OpenLLMetry
from opentelemetry.sdk.trace import TracerProvider

from instrument import Bus
from subscribers import Capture, Options, Vocabulary

ROUNDS, CALLS = 7, 100
WORDS = "some words " * 45

OURS = {
    "ours, one vocabulary, no live records": (
        Options(vocabulary=Vocabulary.CURRENT, capture=Capture.REDACTED),
        False,
    ),
    "ours, all defaults (two, and live records)": (Options(capture=Capture.REDACTED), True),
}


def report(title: str, bare: Row, rows: list[Row]) -> None:
    """Measure and print one table, the cheapest first; then where others are cheaper."""
    for row in rows:
        with row.watching():
            row.call()
    floors = [Row(f"{row.name}, by hand", by_hand(row.keep.span())) for row in rows]
    measure([bare, *rows, *floors], rounds=ROUNDS, calls=CALLS)
    print(f"\n{title} ({bare.best_us:.0f} µs with nobody watching)")
    print(f"{'':<44}{'adds':>9}{'attributes':>12}{'characters':>12}{'SDK':>9}{'adds / SDK':>12}")
    added = {row.name: row.best_us - bare.best_us for row in rows}
    for row, floor in sorted(zip(rows, floors, strict=True), key=lambda pair: added[pair[0].name]):
        attributes = row.keep.span().attributes or {}
        chars = sum(len(key) + len(str(value)) for key, value in attributes.items())
        print(
            f"{row.name:<44}{added[row.name]:>6.0f} µs{len(attributes):>12}{chars:>12}"
            f"{floor.best_us:>6.0f} µs{added[row.name] / floor.best_us:>10.1f} x"
        )
    for name in OURS:
        faster = {n: t for n, t in added.items() if t < added[name] and n not in OURS}
        cheaper_by = ", ".join(f"{n} ({t / added[name]:.2f} x)" for n, t in faster.items())
        print(f"  cheaper than {name}: {cheaper_by or 'no other'}")


def our_rows(stack: ExitStack, emit: Callable[[Bus], Call]) -> list[Row]:
    """Return the bridge's rows: with one vocabulary, as the others, and as `attach` sets it up."""
    rows = []
    for name, (options, has_live) in OURS.items():
        bus, keep = stack.enter_context(bridged(options, has_live=has_live))
        rows.append(Row(name, emit(bus), keep))
    return rows


@contextmanager
def instrumented(instrumentor: Any, provider: TracerProvider) -> Iterator[None]:
    """Patch while entered. OpenLLMetry leaves its wrapper behind, so that is put back here."""
    create = Completions.create
    instrumentor.instrument(tracer_provider=provider)
    try:
        yield
    finally:
        instrumentor.uninstrument()
        Completions.create = create


def model_calls(stack: ExitStack, logfire_keep: Keep) -> tuple[Row, list[Row]]:
    """Return the rows of the LLM call."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": WORDS},
    }
    answer = ChatCompletion.model_validate(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-5-mini",
            "choices": [choice],
            "usage": {"prompt_tokens": 90, "completion_tokens": 90, "total_tokens": 180},
        }
    )
    # What the three packages patch is above these two stand-ins, or is `request` itself.
    openai.OpenAI.request = lambda self, *args, **kwargs: answer
    completions.maybe_transform = lambda data, _: {k: v for k, v in data.items() if is_given(v)}
    client, patched = (
        openai.OpenAI(api_key="none", base_url="http://127.0.0.1:1/v1") for _ in range(2)
    )
    messages: Any = [{"role": "user", "content": WORDS}]

    def create(client: openai.OpenAI = client) -> Any:
        return client.chat.completions.create(
            model="gpt-5-mini", messages=messages, temperature=0.5
        )

    rows = our_rows(stack, lambda bus: model_operation(bus, messages, create))
    for name, instrumentor in (("OpenInference", OpenInference()), ("OpenLLMetry", OpenLLMetry())):
        provider, keep = in_memory_provider()
        rows.append(Row(name, create, keep, partial(instrumented, instrumentor, provider)))
    # Logfire patches one client, and leaves it with the unpatched method of that moment.
    watching = partial(logfire.instrument_openai, patched)
    rows.append(Row("Logfire", partial(create, patched), logfire_keep, watching))
    return Row("bare", create), rows


def model_operation(bus: Bus, messages: Any, create: Call) -> Call:
    """Return a function that makes the call and reports to the bus what the others record."""
    parameters = {"temperature": 0.5}

    def call() -> None:
        with bus.operation(
            "llm_generate",
            llm=None,
            prompt=messages,
            model="gpt-5-mini",
            provider="openai",
            request_params=parameters,
        ) as op:
            op.result = create()

    return call


def tool_calls(stack: ExitStack, logfire_keep: Keep) -> tuple[Row, list[Row]]:
    """Return the rows of the tool call."""
    found = {"text": WORDS}

    def search(query: str) -> dict[str, str]:
        return found

    def emit(bus: Bus) -> Call:
        def call() -> None:
            with bus.operation("tool_call", tool_name="search", args={"query": WORDS}) as op:
                op.result = search(WORDS)

        return call

    provider, keep = in_memory_provider()
    inferred = OITracer(provider.get_tracer("bench"), config=TraceConfig()).tool(search)
    fired = logfire.instrument("search", record_return=True)(search)
    rows = [
        *our_rows(stack, emit),
        Row("OpenInference", lambda: inferred(query=WORDS), keep),
        Row("Logfire", lambda: fired(query=WORDS), logfire_keep),
    ]
    return Row("bare", lambda: search(query=WORDS)), rows


def main() -> None:
    """Print both tables."""
    logging.disable(logging.WARNING)
    keep = Keep()
    logfire.configure(
        send_to_logfire=False,
        console=False,
        inspect_arguments=False,
        additional_span_processors=[keep],
    )
    with ExitStack() as stack:
        report("an LLM call, 500 characters each way", *model_calls(stack, keep))
        report("a tool call, 500 characters each way", *tool_calls(stack, keep))


if __name__ == "__main__":
    main()
