// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { Router } from './route.ts';
import { addressInHash } from './saved-address.ts';

const BASE = 'https://saved.invalid/';

test('what is shown is behind the #, and other pages are not there', () => {
  window.history.replaceState(null, '', '#view=transcript');
  const session = new URL('sessions/a%2Fb', BASE);
  const router = new Router(BASE, addressInHash(window, session));
  expect(router.route.get()).toMatchObject({ page: 'session', id: 'a/b' });
  expect(router.route.get().query.get('view')).toBe('transcript');
  router.adjust({ span: 'x.y' });
  expect(window.location.hash).toBe('#view=transcript&span=x.y');
  router.push('');
  router.push('search?q=x');
  expect(router.route.get()).toMatchObject({ page: 'session', id: 'a/b' });
  expect(router.route.get().query.get('span')).toBe('x.y');
});
