/** Numbers and durations for people. Units: nanoseconds unless the name says otherwise. */

const NS_PER_US = 1e3;
const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;

/** `340 µs`, `12.4 ms`, `1.24 s`, `2m 14s`, `1h 03m`, `2d 4h`. */
export function formatDuration(ns: number): string {
  if (ns < 0) return `−${formatDuration(-ns)}`;
  if (ns < NS_PER_US) return `${Math.round(ns)} ns`;
  if (ns < 999.5 * NS_PER_US) return `${threeDigits(ns / NS_PER_US)} µs`;
  if (ns < 999.5 * NS_PER_MS) return `${threeDigits(ns / NS_PER_MS)} ms`;
  if (ns < 59.95 * NS_PER_S) return `${threeDigits(ns / NS_PER_S)} s`;
  return formatClock(Math.round(ns / NS_PER_S));
}

/** Start of a span on the axis; negative where clocks differ or a request came first. */
export function formatOffset(ns: number): string {
  if (ns === 0) return '+0 s';
  return ns < 0 ? formatDuration(ns) : `+${formatDuration(ns)}`;
}

/** A running duration, in whole seconds. */
export function formatRunning(ns: number): string {
  const seconds = Math.floor(Math.max(0, ns) / NS_PER_S);
  return seconds < 60 ? `${seconds} s` : formatClock(seconds);
}

/** A running duration that is drawn ten times a second: with tenths as long as they can be read. */
export function formatGrowing(ns: number): string {
  const tenths = Math.floor(Math.max(0, ns) / (NS_PER_S / 10));
  return tenths < 100 ? `${(tenths / 10).toFixed(1)} s` : formatRunning(ns);
}

/** A duration of a minute or more, in seconds: `1h 02m`. */
export function formatClock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${pad(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h ${pad(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

function threeDigits(value: number): string {
  return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0).replace(/\.0+$/, '');
}

/** `0`, `312`, `1 204`, `48.2 k`, `1.3 M`. */
export function formatCount(count: number): string {
  if (count < 10_000) return groupThousands(count);
  if (count < 999_500) return `${threeDigits(count / 1e3)} k`;
  if (count < 999_500_000) return `${threeDigits(count / 1e6)} M`;
  return `${threeDigits(count / 1e9)} G`;
}

/** Digits in groups of three, with narrow no-break spaces: `48 211`. */
export function groupThousands(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** `$0.21`, `$0.0004`, `$12.40`; below a hundredth of a cent `<$0.0001`. */
export function formatCost(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  if (usd < 0.1) return `$${usd.toPrecision(2).replace(/(\.\d*?)0+$/, '$1')}`;
  return `$${usd.toFixed(2)}`;
}

/** A fraction of a whole, with a no-break space: `31 %`. */
export function formatShare(share: number): string {
  return `${share > 0 && share < 0.005 ? '<1' : Math.round(share * 100)}\u00a0%`;
}

/** `312 B`, `4.2 kB`, `1.3 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${threeDigits(bytes / 1e3)} kB`;
  return `${threeDigits(bytes / 1e6)} MB`;
}

/** `1 span`, `3 spans`. */
export function plural(count: number, noun: string): string {
  return `${groupThousands(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const MAX_CHARACTERS = 3000;
const MAX_LINES = 40;
/** Tolerance of the limit: a little more text is not worth a click. */
const SLACK = 1.25;

export function clampText(text: string): string {
  const end = Math.min(endOfLine(text, MAX_LINES), MAX_CHARACTERS);
  if (text.length <= end * SLACK && endOfLine(text, MAX_LINES * SLACK) >= text.length) return text;
  const cut = text.slice(0, end);
  const space = Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf(' '));
  const at = space > end * 0.8 ? space : end;
  // Never half of a surrogate pair.
  const isHalf = /[\ud800-\udbff]/.test(text[at - 1] ?? '');
  return text.slice(0, isHalf ? at - 1 : at);
}

/** Index after the n-th line, or the whole length. */
function endOfLine(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.length;
  }
  return at;
}

/** A sentence with its code in quotes, not in backticks: those of the service are for Markdown. */
export function quoted(sentence: string): string {
  return sentence.replace(/`([^`]+)`/g, '“$1”');
}
