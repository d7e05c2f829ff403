/** State of a page without a service, for tests. */
import type { Api } from '../api/client.ts';
import { Inspector } from './inspector.ts';
import { PreferenceStore } from './preferences.ts';
import { Router } from './route.ts';

export function exampleInspector(api: Partial<Api>): Inspector {
  return new Inspector({
    api: { eventsUrl: () => '', ...api } as Api,
    router: new Router('http://localhost:3000/', window),
    preferences: new PreferenceStore(undefined),
    serviceUrl: 'http://localhost:3000/',
    feed: {
      open: () => new EventTarget() as EventSource,
      locks: undefined,
      channel: undefined,
      name: '',
      tab: '',
    },
  });
}
