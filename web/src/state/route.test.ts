// @vitest-environment jsdom
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRoute, Router, serviceUrl, sessionPath } from './route.ts';

const BASE = 'http://127.0.0.1:7800/_inspector/ui/';

test('the service is above the page, wherever it is mounted', () => {
  expect(serviceUrl(BASE)).toBe('http://127.0.0.1:7800/_inspector/');
  expect(serviceUrl('http://localhost:7800/ui/')).toBe('http://localhost:7800/');
});

test('the list, a session, and nothing', () => {
  expect(parseRoute(BASE, BASE).page).toBe('sessions');
  expect(parseRoute(`${BASE}sessions/x/spans`, BASE).page).toBe('unknown');
  expect(parseRoute(`${BASE}sessions/x?span=a.b`, BASE)).toMatchObject({
    page: 'session',
    id: 'x',
  });
});

test('any session id survives its address', () => {
  const ids = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((id) => id !== '.' && id !== '..');
  fc.assert(
    fc.property(ids, (id) => {
      const route = parseRoute(new URL(sessionPath(id), BASE).href, BASE);
      expect(route).toMatchObject({ page: 'session', id });
    }),
  );
});

test('the list is remembered as it was left', () => {
  window.history.replaceState(null, '', '/');
  const router = new Router(window.location.href, window);
  router.adjust({ q: 'status:failed' });
  router.push(sessionPath('x'));
  router.adjust({ view: 'transcript' });
  expect(router.lastList).toBe('?q=status%3Afailed');
  router.push(router.lastList);
  expect(router.route.get().query.get('q')).toBe('status:failed');
});
