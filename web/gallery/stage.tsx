/** A part of the page, or all of it, with its own service, stream and address. */
import { type ReactNode, useEffect, useState } from 'react';
import type { StreamEvent } from '../src/api/types.ts';
import { Inspector } from '../src/state/inspector.ts';
import { PreferenceStore, type Preferences } from '../src/state/preferences.ts';
import { Router } from '../src/state/route.ts';
import { App } from '../src/views/app.tsx';
import { PageContext, usePage } from '../src/views/parts/context.ts';
import { type Answers, galleryApi } from './service.ts';

const BASE = 'http://gallery.invalid/ui/';

export interface StageProps {
  /** Address relative to the page: `sessions/golden?view=statistics`. */
  readonly at?: string;
  /** Answers every request before the fixtures do. */
  readonly answers?: Answers;
  /** `lost`: this stream breaks, and every new one. */
  readonly stream?: 'open' | 'silent' | 'lost';
  /** Events that the stream sends once it is open. */
  readonly events?: readonly StreamEvent[];
  /** Preferences that replace those of the gallery. */
  readonly preferences?: Partial<Preferences>;
  /** Default: the whole page. */
  readonly children?: ReactNode;
}

export function Stage(props: StageProps) {
  const { at = '', answers, stream = 'open', events = [], preferences, children } = props;
  const { inspector: outer, theme } = usePage();
  const [inspector] = useState(
    () =>
      new Inspector({
        api: galleryApi(answers),
        router: new Router(BASE, ownWindow(new URL(at, BASE))),
        preferences: preferences === undefined ? outer.preferences : chosen(preferences),
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

function chosen(preferences: Partial<Preferences>): PreferenceStore {
  const store = new PreferenceStore(undefined);
  store.change(preferences);
  return store;
}

/** An address and its history, separate from the browser's. */
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
        this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }));
      }
    });
  }
  close(): void {}
}
