/** A part of the page, or all of it, with a service, a stream and an address of its own. */
import { type ReactNode, useEffect, useState } from 'react';
import type { StreamEvent } from '../src/api/types.ts';
import { Inspector } from '../src/state/inspector.ts';
import { Router } from '../src/state/route.ts';
import { App } from '../src/views/app.tsx';
import { PageContext, usePage } from '../src/views/context.ts';
import { type Answers, galleryApi } from './service.ts';

const BASE = 'http://gallery.invalid/ui/';

interface StageProps {
  /** What is shown, relative to the page: `sessions/golden?view=statistics`. */
  readonly at?: string;
  /** Sees every request before the fixtures. */
  readonly answers?: Answers;
  /** `lost`: the stream breaks, and every new one. */
  readonly stream?: 'open' | 'silent' | 'lost';
  /** What the stream says once it is open. */
  readonly events?: readonly StreamEvent[];
  /** Default: the whole page. */
  readonly children?: ReactNode;
}

export function Stage({ at = '', answers, stream = 'open', events = [], children }: StageProps) {
  const { inspector: outer, theme } = usePage();
  const [inspector] = useState(
    () =>
      new Inspector({
        api: galleryApi(answers),
        router: new Router(BASE, ownWindow(new URL(at, BASE))),
        preferences: outer.preferences,
        serviceUrl: outer.serviceUrl,
        feed: {
          open: () => new StagedSource(stream, events) as unknown as EventSource,
          locks: undefined,
          channel: undefined,
          name: 'stage',
          tab: 'stage',
        },
      }),
  );
  useEffect(() => {
    inspector.start();
    return () => inspector.feed.stop();
  }, [inspector]);
  return <PageContext value={{ inspector, theme }}>{children ?? <App />}</PageContext>;
}

/** An address and its history, apart from the browser's. */
function ownWindow(start: URL): Window {
  const location = { href: start.href };
  const go = (_state: unknown, _title: string, url: string | URL) => {
    location.href = String(url);
  };
  const history = { pushState: go, replaceState: go };
  return { location, history, addEventListener: () => {} } as unknown as Window;
}

class StagedSource extends EventTarget {
  constructor(stream: StageProps['stream'], events: readonly StreamEvent[]) {
    super();
    setTimeout(() => {
      if (stream === 'lost') this.dispatchEvent(new Event('error'));
      if (stream !== 'open') return;
      this.dispatchEvent(new Event('open'));
      for (const event of events) {
        this.dispatchEvent(new MessageEvent(event.type, { data: JSON.stringify(event) }));
      }
    });
  }
  close(): void {}
}
