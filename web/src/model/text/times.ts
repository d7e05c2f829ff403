/** Points in time for people, in one time zone, as dates or as ages. */

import { AGE_TEXT } from '../../texts.ts';
import { formatClock } from './format.ts';

export type TimeZone = 'local' | 'utc';
export type DateForm = 'absolute' | 'relative';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Age in days from which a date says more than the age. */
const MAX_AGE_DAYS = 30;

/** The time at an offset from Unix ns, to the millisecond. */
export function rfc3339(epoch_ns: string, offset_ns: number): string {
  const time_ms = Number(BigInt(epoch_ns) / 1_000_000n) + offset_ns / 1e6;
  // No calendar has the times of a broken sender.
  return Math.abs(time_ms) < 8.64e15 ? new Date(time_ms).toISOString() : '';
}

/** The only formatter of times; a text that is no time is shown as it is. */
export class Times {
  private readonly zone: TimeZone;
  private readonly form: DateForm;

  constructor(zone: TimeZone, form: DateForm) {
    this.zone = zone;
    this.form = form;
  }

  /** Time of day, to the millisecond: `14:03:07.120`. */
  ofDay(rfc3339: string): string {
    return this.iso(Date.parse(rfc3339))?.slice(-13, -1) ?? rfc3339;
  }

  /** Date, time of day and zone: `2026-11-28 14:03:07.120 UTC+01:00`. */
  exactly(rfc3339: string): string {
    const at_ms = Date.parse(rfc3339);
    const iso = this.iso(at_ms);
    if (iso === undefined) return rfc3339;
    return `${iso.slice(0, -1).replace('T', ' ')} ${zoneName(this.offset_ms(at_ms))}`;
  }

  /**
   * The time if today, else date and time, with the year if it is another one; of recent times the
   * age instead, if preferred: `12 min ago`.
   */
  when(rfc3339: string, now_ms: number): string {
    const at_ms = Date.parse(rfc3339);
    const iso = this.iso(at_ms);
    if (iso === undefined) return rfc3339;
    const age = this.form === 'relative' ? ageOf(now_ms - at_ms) : undefined;
    if (age !== undefined) return age;
    const now = this.iso(now_ms) ?? '';
    if (dateOf(iso) === dateOf(now)) return iso.slice(-13, -5);
    const isThisYear = yearOf(iso) === yearOf(now);
    return `${dayOf(iso)} ${isThisYear ? iso.slice(-13, -8) : yearOf(iso)}`;
  }

  /** A time on an axis of this length, only as exact as needed. */
  onAxis(at_ms: number, length_ms: number, width_ms: number): string {
    const iso = this.iso(at_ms) ?? '';
    if (width_ms >= DAY_MS) {
      return length_ms > 300 * DAY_MS ? `${dayOf(iso)} ${yearOf(iso)}` : dayOf(iso);
    }
    const time = iso.slice(-13, width_ms < MINUTE_MS ? -5 : -8);
    return length_ms > DAY_MS ? `${dayOf(iso)} ${time}` : time;
  }

  /** A range: `22 Nov 14:05 – 14:20`. */
  range(since_ms: number, until_ms: number): string {
    const isExact = since_ms % MINUTE_MS !== 0 || until_ms % MINUTE_MS !== 0;
    const width_ms = isExact ? 1000 : MINUTE_MS;
    const isSameDay = dateOf(this.iso(since_ms) ?? '') === dateOf(this.iso(until_ms) ?? '');
    const from = this.onAxis(since_ms, 2 * DAY_MS, width_ms);
    return `${from} – ${this.onAxis(until_ms, isSameDay ? 0 : 2 * DAY_MS, width_ms)}`;
  }

  /** The time as ISO 8601 with the fields of the zone; undefined if no calendar has it. */
  private iso(at_ms: number): string | undefined {
    const shown = new Date(at_ms + this.offset_ms(at_ms));
    return Number.isNaN(shown.getTime()) ? undefined : shown.toISOString();
  }

  /** East of Greenwich. */
  private offset_ms(at_ms: number): number {
    return this.zone === 'utc' ? 0 : -new Date(at_ms).getTimezoneOffset() * MINUTE_MS;
  }
}

/** Name of the zone of the browser: `Europe/Berlin`. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function zoneName(offset_ms: number): string {
  if (offset_ms === 0) return 'UTC';
  const ahead = new Date(Math.abs(offset_ms)).toISOString().slice(11, 16);
  return `UTC${offset_ms < 0 ? '−' : '+'}${ahead}`;
}

// From the end: years beyond 9999 have more digits.
function dateOf(iso: string): string {
  return iso.slice(0, -14);
}

function yearOf(iso: string): number {
  return Number(iso.slice(0, -20));
}

/** `30 May`. */
function dayOf(iso: string): string {
  const month = new Date(iso).toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  return `${Number(iso.slice(-16, -14))} ${month}`;
}

/** `12 min ago`; undefined where a date says more. A clock that is behind makes no future. */
function ageOf(age_ms: number): string | undefined {
  if (age_ms < MINUTE_MS) return AGE_TEXT.now;
  if (age_ms < HOUR_MS) return AGE_TEXT.minutes(Math.floor(age_ms / MINUTE_MS));
  if (age_ms < DAY_MS) return AGE_TEXT.hours(Math.floor(age_ms / HOUR_MS));
  const days = Math.floor(age_ms / DAY_MS);
  return days > MAX_AGE_DAYS ? undefined : AGE_TEXT.days(days);
}

/** Text for a silence, from a minute on; empty below. */
export function formatSilence(silence_ms: number): string {
  const minutes = Math.floor(silence_ms / MINUTE_MS);
  if (minutes < 1) return '';
  return AGE_TEXT.silence(minutes < 60 ? `${minutes} min` : formatClock(minutes * 60));
}
