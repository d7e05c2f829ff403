/**
 * Tooltips of everything that has a title: one for the page, on hover and on focus.
 *
 * The browser's own come with the mouse only. While one of ours is near, the title is off its
 * element, so that there are never two; names and descriptions stay.
 */
import { type ComponentType, useEffect, useState } from 'react';
import type { Tip } from './popups.tsx';

// Of its own: the bundler puts a `.then` beside the import inside of its wait for the style sheet,
// and what handles a failure there does not handle that of the style.
const loadPopups = () => import('./popups.tsx');

/** Time that the mouse rests on an element before its tooltip opens, and that one stays after it. */
const REST_MS = 500;
const STAY_MS = 120;

export function Tips() {
  const [tip, setTip] = useState<Tip>();
  const [loaded, setLoaded] = useState<{ readonly TipBeside: ComponentType<Tip> }>();
  useEffect(() => {
    if (loaded !== undefined) return listen(setTip);
    // Until they are loaded, or if they cannot be, the browser shows titles itself. A key, and not
    // the focus: a page gives that to its list when it opens.
    const load = () => void loadPopups().then(setLoaded, () => undefined);
    document.addEventListener('pointerover', load, { once: true });
    document.addEventListener('keydown', load, { once: true });
    return () => {
      document.removeEventListener('pointerover', load);
      document.removeEventListener('keydown', load);
    };
  }, [loaded]);
  return loaded !== undefined && tip !== undefined && <loaded.TipBeside {...tip} />;
}

/** Report the tooltip to show, undefined for none, until the returned function is called. */
function listen(show: (tip: Tip | undefined) => void): () => void {
  let near: Tip | undefined;
  let giveBack = () => {};
  let isOpen = false;
  let isEscape = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const set = (tip: Tip | undefined) => {
    clearTimeout(timer);
    isOpen = tip !== undefined;
    show(tip);
  };
  const leave = () => {
    giveBack();
    near = undefined;
    set(undefined);
  };
  const approach = (anchor: Element, rest_ms: number) => {
    const wasOpen = isOpen;
    giveBack();
    near = { anchor, text: anchor.getAttribute('title') ?? '' };
    giveBack = takeTitle(anchor, near.text);
    const opened = near;
    clearTimeout(timer);
    if (isReadable(anchor, near.text)) set(undefined);
    else if (wasOpen || rest_ms === 0) set(opened);
    else timer = setTimeout(() => set(opened), rest_ms);
  };
  const onOver = (event: PointerEvent) => {
    if (event.pointerType !== 'mouse' || !(event.target instanceof Element)) return;
    if (event.target.closest('[role=tooltip]') !== null) return clearTimeout(timer);
    const anchor = event.target.closest('[title]');
    if (anchor !== null && anchor !== near?.anchor) approach(anchor, REST_MS);
    else if (near !== undefined && !near.anchor.contains(event.target)) {
      clearTimeout(timer);
      timer = setTimeout(leave, STAY_MS);
    } else if (near !== undefined && isOpen) clearTimeout(timer);
  };
  const onFocus = ({ target }: FocusEvent) => {
    // What Esc gives the focus back to opens none, which another Esc would have to close.
    if (isEscape || !(target instanceof Element) || !target.matches(':focus-visible')) return;
    const isNamed = target.hasAttribute('title') && target.matches('button, a, summary, input');
    if (isNamed) approach(target, 0);
  };
  const dismiss = () => set(undefined);
  const onKey = (event: KeyboardEvent) => {
    isEscape = event.key === 'Escape';
    if (!isEscape || !isOpen) return;
    event.stopPropagation(); // it closes the tooltip and nothing else
    dismiss();
  };
  const ends = new AbortController();
  const options = { capture: true, signal: ends.signal };
  document.addEventListener('pointerover', onOver, options);
  document.addEventListener('focusin', onFocus, options);
  document.addEventListener('focusout', leave, options);
  document.addEventListener('pointerdown', dismiss, options);
  document.addEventListener('scroll', dismiss, { ...options, passive: true });
  document.addEventListener('keydown', onKey, options);
  document.documentElement.addEventListener('pointerleave', leave, { signal: ends.signal });
  return () => {
    ends.abort();
    leave();
  };
}

/** What letters stand out of a line that is cut nowhere. */
const SLACK_PX = 4;

/** Whether an element shows all of its title itself. */
function isReadable(anchor: Element, text: string): boolean {
  const shown = anchor.cloneNode(true) as Element;
  for (const hidden of shown.querySelectorAll('.ins-hidden')) hidden.remove();
  if (shown.textContent?.trim() !== text.trim()) return false;
  const inside = anchor.querySelectorAll(':not(.ins-hidden)');
  return [anchor.parentElement ?? anchor, anchor, ...inside].every(
    (one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + SLACK_PX,
  );
}

/** Take the title off an element, without its name or description; returns what puts it back. */
function takeTitle(element: Element, text: string): () => void {
  const isName = (element.textContent ?? '').trim() === '';
  const name = isName ? 'aria-label' : 'aria-description';
  const isAdded = !element.hasAttribute(name) && element.getAttribute('aria-label') !== text;
  element.removeAttribute('title');
  if (isAdded) element.setAttribute(name, text);
  return () => {
    // The page may have set another one in the meantime.
    if (!element.hasAttribute('title')) element.setAttribute('title', text);
    if (isAdded && element.getAttribute(name) === text) element.removeAttribute(name);
  };
}
