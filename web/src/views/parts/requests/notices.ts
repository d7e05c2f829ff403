/**
 * Notices of open requests outside the page: the icon of the tab, and desktop notifications if
 * allowed.
 */
import { useEffect } from 'react';
import type { Request } from '../../../api/types.ts';
import { headlineOf } from '../../../model/requests/request.ts';
import { plainLine } from '../../../model/text/hidden-characters.ts';
import { INBOX_TEXT } from '../../../texts.ts';
import { useCell, useInspector } from '../context.ts';

export function canNotify(): boolean {
  return 'Notification' in window && window.isSecureContext;
}

/** Ask the browser for permission to notify; return whether it is granted. */
export async function askForNotices(): Promise<boolean> {
  return (await Notification.requestPermission()) === 'granted';
}

export function useNotices(): void {
  const { requests, preferences, router } = useInspector();
  const isWaiting = useCell(requests.pending).length > 0;
  useEffect(() => showMark(isWaiting), [isWaiting]);
  useEffect(() => {
    requests.onOpened = (opened) => {
      if (!preferences.get().notify || !canNotify() || document.hasFocus()) return;
      if (Notification.permission === 'granted') notify(opened, (path) => router.push(path));
    };
    return () => {
      requests.onOpened = () => {};
    };
  }, [requests, preferences, router]);
}

/** Text of a notification, without arguments or prompt. */
export function noticeOf(opened: readonly Request[]): { title: string; body: string } {
  const [first] = opened;
  if (first === undefined || opened.length > 1) {
    return { title: INBOX_TEXT.several(opened.length), body: '' };
  }
  return { title: headlineOf(first), body: plainLine(first.session_title, 80) };
}

function notify(opened: readonly Request[], go: (path: string) => void): void {
  const { title, body } = noticeOf(opened);
  const id = opened.length === 1 ? (opened[0]?.id ?? '') : '';
  // Of several tabs that say the same one is shown.
  const notice = new Notification(title, { body, tag: `inspector ${id}`, silent: true });
  notice.onclick = () => {
    window.focus();
    go(id === '' ? 'waiting' : `waiting?request=${encodeURIComponent(id)}`);
    notice.close();
  };
}

/** Put a dot on the icon of the tab. */
function showMark(isWaiting: boolean): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon === null) return;
  icon.dataset['plain'] ??= icon.href;
  const plain = icon.dataset['plain'];
  icon.href = isWaiting ? plain.replace(/favicon([^/]*)\.svg$/, 'favicon-waiting.svg') : plain;
}
