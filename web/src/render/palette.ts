/** Design tokens for canvases, read from the document once per theme. */
import type { SpanKind } from '../api/types.ts';

export interface Palette {
  readonly kind: Readonly<Record<SpanKind, string>>;
  readonly ground: string;
  readonly line: string;
  readonly grid: string;
  readonly lineStrong: string;
  readonly text: string;
  readonly muted: string;
  readonly accent: string;
  readonly ok: string;
  readonly error: string;
  readonly waiting: string;
  readonly quiet: string;
  /** Colour of services, to be turned to the hue of each. */
  readonly service: string;
  readonly font: string;
}

const KINDS = [
  'agent',
  'llm',
  'tool',
  'workflow',
  'step',
  'mcp',
  'resource',
  'prompt',
  'retrieval',
  'embedding',
  'memory',
  'guardrail',
  'database',
  'messaging',
  'http',
  'other',
] as const satisfies readonly SpanKind[];

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const kind = Object.fromEntries(KINDS.map((name) => [name, token(`kind-${name}`)]));
  return {
    kind: kind as Record<SpanKind, string>,
    ground: token('surface'),
    line: token('line'),
    grid: token('grid'),
    lineStrong: token('line-strong'),
    text: token('text'),
    muted: token('text-muted'),
    accent: token('accent'),
    ok: token('status-ok'),
    error: token('status-error'),
    waiting: token('status-waiting'),
    quiet: token('status-quiet'),
    service: token('service'),
    font: `11px ${token('font-words')}`,
  };
}
