/**
 * The capture mode applied to spans of other instrumentations, before they leave the process.
 *
 * Content of our own spans is treated when it is set.
 */

import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';

import type { Capture } from '../options.js';
import type { Redactor } from '../redaction/redactor.js';
import { CONTENT_KEY, EVENT_BODY_KEYS } from '../redaction/rules.gen.js';
import { type Item, type LiveRecord, SPAN_NAME } from './items.js';
import { SCOPE } from './scope.js';

const eventBodyKeys = new Set(EVENT_BODY_KEYS);

/** Redacts the strings of foreign spans; with `off` drops known content first. */
export class ForeignContent {
  readonly #capture: Capture;
  readonly #redactor: Redactor;

  constructor(capture: Capture, redactor: Redactor) {
    this.#capture = capture;
    this.#redactor = redactor;
  }

  /** Return `item` as it may be sent; itself if it is ours or needs no change. */
  treat(item: Item): Item {
    const span = item.span ?? item.record.span;
    if (span === undefined || this.#capture === 'full') return item;
    if (span.instrumentationScope.name === SCOPE) return item;
    return item.span ? { span: this.#span(item.span) } : { record: this.#record(item.record) };
  }

  #record(record: LiveRecord): LiveRecord {
    const name = record.span ? { [SPAN_NAME]: this.#redactor.text(record.span.name) } : {};
    return { ...record, attributes: { ...this.#attributes(record.attributes), ...name } };
  }

  #span(span: ReadableSpan): ReadableSpan {
    const { message } = span.status;
    return changed(span, {
      name: this.#redactor.text(span.name),
      attributes: this.#attributes(span.attributes),
      events: span.events.map((event) => ({
        ...event,
        name: this.#redactor.text(event.name),
        attributes: this.#attributes(event.attributes ?? {}, event.name.startsWith('gen_ai.')),
      })),
      links: span.links.map((link) => ({
        ...link,
        attributes: this.#attributes(link.attributes ?? {}),
      })),
      status: message ? { ...span.status, message: this.#redactor.text(message) } : span.status,
    });
  }

  #attributes(attributes: Attributes, isMessage = false): Attributes {
    if (this.#capture !== 'off') return this.#redactor.attributes(attributes);
    const kept = Object.entries(attributes).filter(
      ([key]) => !CONTENT_KEY.test(key) && !(isMessage && eventBodyKeys.has(key)),
    );
    return this.#redactor.attributes(Object.fromEntries(kept));
  }
}

/** Return a span that reads as `span`, but for some fields. */
function changed(span: ReadableSpan, fields: Partial<ReadableSpan>): ReadableSpan {
  const copy = {
    kind: span.kind,
    spanContext: () => span.spanContext(),
    parentSpanContext: span.parentSpanContext,
    startTime: span.startTime,
    endTime: span.endTime,
    duration: span.duration,
    ended: span.ended,
    resource: span.resource,
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: span.droppedAttributesCount,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  };
  return { ...copy, ...fields } as ReadableSpan;
}
