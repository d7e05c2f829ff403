/** Icons: 16 × 16, in the text's colour. Each kind and each state has its own shape. */
import type { ReactNode } from 'react';
import type { SpanKind } from '../../api/types.ts';
import { KIND_NAMES } from '../../texts.ts';

interface IconProps {
  readonly children: ReactNode;
  readonly className?: string;
}

function Icon({ children, className }: IconProps) {
  return (
    <svg
      className={className}
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

const KIND_SHAPES: Readonly<Record<SpanKind, ReactNode>> = {
  agent: (
    <>
      <rect x="2.75" y="5.25" width="10.5" height="8" rx="2.5" />
      <path d="M8 5V2.5M6 8.8v1.2M10 8.8v1.2" />
    </>
  ),
  llm: (
    <path
      d="M8 1.8c.5 3.4 2.3 5.3 6.2 6.2-3.9.9-5.7 2.8-6.2 6.2-.5-3.4-2.3-5.3-6.2-6.2 3.9-.9 5.7-2.8 6.2-6.2z"
      fill="currentColor"
      stroke="none"
    />
  ),
  tool: (
    <path d="M13.3 4.6a3.4 3.4 0 0 1-4.5 4.2L4.9 12.7a1.2 1.2 0 0 1-1.7-1.7l3.9-3.9a3.4 3.4 0 0 1 4.2-4.5L9.3 4.7l.4 1.6 1.6.4z" />
  ),
  workflow: (
    <>
      <rect x="1.75" y="5.75" width="4.5" height="4.5" rx="1" />
      <rect x="9.75" y="1.75" width="4.5" height="4.5" rx="1" />
      <rect x="9.75" y="9.75" width="4.5" height="4.5" rx="1" />
      <path d="M6.3 8H8V4h1.7M8 8v4h1.7" />
    </>
  ),
  step: <path d="M5.5 3.5 10.5 8l-5 4.5" />,
  mcp: <path d="M2 5.5h10.5L9.8 2.8M14 10.5H3.5l2.7 2.7" />,
  resource: (
    <>
      <path d="M4 1.75h5l3.25 3.25v9.25H4z" />
      <path d="M8.75 2v3.25H12" />
    </>
  ),
  prompt: <path d="M2.25 3.25h11.5v7.5H7.5L4.5 13.5v-2.75H2.25z" />,
  retrieval: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.2 10.2 3.6 3.6" />
    </>
  ),
  embedding: (
    <g fill="currentColor" stroke="none">
      <circle cx="3.5" cy="3.5" r="1.4" />
      <circle cx="8" cy="3.5" r="1.4" />
      <circle cx="12.5" cy="3.5" r="1.4" />
      <circle cx="3.5" cy="8" r="1.4" />
      <circle cx="8" cy="8" r="1.4" />
      <circle cx="12.5" cy="8" r="1.4" />
      <circle cx="3.5" cy="12.5" r="1.4" />
      <circle cx="8" cy="12.5" r="1.4" />
      <circle cx="12.5" cy="12.5" r="1.4" />
    </g>
  ),
  memory: (
    <>
      <ellipse cx="8" cy="4" rx="5.25" ry="2" />
      <path d="M2.75 4v8c0 1.1 2.35 2 5.25 2s5.25-.9 5.25-2V4M2.75 8c0 1.1 2.35 2 5.25 2s5.25-.9 5.25-2" />
    </>
  ),
  guardrail: (
    <path d="M8 1.75 13.25 3.5v4.25c0 3-2.2 5.3-5.25 6.5-3.05-1.2-5.25-3.5-5.25-6.5V3.5z" />
  ),
  database: (
    <>
      <rect x="2" y="3" width="12" height="10" rx="1.5" />
      <path d="M2 6.4h12M2 9.7h12M6.4 6.4V13" />
    </>
  ),
  messaging: (
    <>
      <rect x="1.75" y="3.5" width="12.5" height="9" rx="1.5" />
      <path d="m2.3 4.5 5.7 4.6 5.7-4.6" />
    </>
  ),
  http: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M2 8h12M8 2c3.4 3.6 3.4 8.4 0 12M8 2C4.6 5.6 4.6 10.4 8 14" />
    </>
  ),
  other: <circle cx="8" cy="8" r="4" />,
};

export function kindName(kind: SpanKind): string {
  return KIND_NAMES[kind];
}

export function KindIcon({ kind }: { readonly kind: SpanKind }) {
  return <Icon className={`ins-kind ins-kind--${kind}`}>{KIND_SHAPES[kind]}</Icon>;
}

export type Shape =
  | 'waiting'
  | 'allowing'
  | 'paused'
  | 'running'
  | 'lost'
  | 'failed'
  | 'cancelled'
  | 'completed';

const STATUS_SHAPES: Readonly<Record<Shape, ReactNode>> = {
  waiting: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" stroke="none" />
    </>
  ),
  // An hourglass: what waits, and goes on by itself.
  allowing: (
    <path
      d="M3.75 2h8.5M3.75 14h8.5M5 2v2.5L8 8l3-3.5V2M5 14v-2.5L8 8l3 3.5V14z"
      strokeWidth="1.5"
    />
  ),
  paused: <path d="M5.5 3.5v9M10.5 3.5v9" strokeWidth="2.5" />,
  running: <circle cx="8" cy="8" r="4" fill="currentColor" stroke="none" />,
  lost: <circle cx="8" cy="8" r="5" strokeDasharray="2.5 2.7" />,
  failed: <path d="m4 4 8 8M12 4l-8 8" strokeWidth="2" />,
  cancelled: (
    <>
      <circle cx="8" cy="8" r="5.25" />
      <path d="m4.5 11.5 7-7" />
    </>
  ),
  completed: <path d="m3 8.5 3.3 3.3L13 4.8" strokeWidth="1.75" />,
};

export function StatusIcon({ shape }: { readonly shape: Shape }) {
  return <Icon className={`ins-status ins-status--${shape}`}>{STATUS_SHAPES[shape]}</Icon>;
}

const ACTION_SHAPES = {
  back: <path d="M10 3 5 8l5 5" />,
  caret: <path d="m6 4 4 4-4 4" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  copy: (
    <>
      <rect x="5.25" y="5.25" width="8" height="8" rx="1.5" />
      <path d="M10.75 5V3.25a1 1 0 0 0-1-1h-6.5a1 1 0 0 0-1 1v6.5a1 1 0 0 0 1 1H5" />
    </>
  ),
  share: <path d="M8 9.5V2m0 0L5.25 4.75M8 2l2.75 2.75M5 7H3.5v6.5h9V7H11" />,
  about: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 7.25v3.5M8 5.2h.01" />
    </>
  ),
  done: <path d="m3 8.5 3.3 3.3L13 4.8" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.2 10.2 3.6 3.6" />
    </>
  ),
  columns: <path d="M2.5 2.75h11v10.5h-11zM6.25 2.75v10.5M9.75 2.75v10.5" />,
  pin: <path d="M5.5 2.25h5L10 7l2 2.25H4L6 7zM8 9.5v4.25" />,
  import: <path d="M8 2v8M4.75 5.25 8 2l3.25 3.25M2.75 10.5v3h10.5v-3" />,
  star: <path d="m8 2 1.8 3.7 4.1.6-3 2.9.7 4L8 11.3l-3.6 1.9.7-4-3-2.9 4.1-.6z" />,
  trash: <path d="M3 4.5h10M6.25 4.25v-1.5h3.5v1.5M4.25 4.5l.6 8.75h6.3l.6-8.75" />,
  up: <path d="m4 10 4-4 4 4" />,
  down: <path d="m4 6 4 4 4-4" />,
  fit: <path d="M2 8h12M4.5 5.5 2 8l2.5 2.5M11.5 5.5 14 8l-2.5 2.5" />,
  zoom: <path d="M4.5 2.25H2.25v11.5H4.5M11.5 2.25h2.25v11.5H11.5M5 5.5h3M6.5 8h4M8.5 10.5H11" />,
  file: (
    <path d="M9.25 1.75h-5a1 1 0 0 0-1 1v10.5a1 1 0 0 0 1 1h7.5a1 1 0 0 0 1-1v-8zM9.25 1.75v3.5h3.5" />
  ),
  freeze: <path d="M8 1.75v12.5M2.6 4.9l10.8 6.2M13.4 4.9 2.6 11.1" />,
  play: <path d="M5 3.25v9.5l7.5-4.75z" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" strokeWidth="2.5" />,
  fold: <path d="M3 8h10M8 1.5v4M6 4l2 2 2-2M8 14.5v-4M6 12l2-2 2 2" />,
  settings: (
    <>
      <path d="M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6" />
      <circle cx="10" cy="4.5" r="1.75" />
      <circle cx="6" cy="11.5" r="1.75" />
    </>
  ),
  keys: (
    <>
      <rect x="1.25" y="3.75" width="13.5" height="8.5" rx="1.5" />
      <path d="M4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6" />
    </>
  ),
} as const;

export function ActionIcon({ name }: { readonly name: keyof typeof ACTION_SHAPES }) {
  return <Icon>{ACTION_SHAPES[name]}</Icon>;
}
