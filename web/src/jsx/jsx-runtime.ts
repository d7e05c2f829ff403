/**
 * React's JSX runtime with one rule for every text of the page: hidden characters are written out.
 *
 * A name in a trace may contain characters that reverse the text around them. Names are shown in a
 * hundred places, in texts, titles and labels; all of them pass through here. `VisibleText` shows
 * the characters of a value in more detail.
 */
import { Fragment, type JSX, jsx as plainJsx, jsxs as plainJsxs } from 'react/jsx-runtime';
import { seenText } from '../model/text/hidden-characters.ts';

export { Fragment, type JSX };

type Create = typeof plainJsx;

const SPOKEN = ['title', 'aria-label', 'aria-description', 'aria-valuetext', 'alt', 'placeholder'];

export const jsx: Create = (type, props, key) => plainJsx(type, seenProps(type, props), key);
export const jsxs: Create = (type, props, key) => plainJsxs(type, seenProps(type, props), key);

/**
 * The properties of an element with hidden characters written out; those of components are data and
 * stay.
 */
export function seenProps(type: unknown, props: unknown): unknown {
  if (typeof type !== 'string' && type !== Fragment) return props;
  const original = props as Record<string, unknown>;
  const changed: Record<string, unknown> = {};
  const children = seenChildren(original['children']);
  if (children !== original['children']) changed['children'] = children;
  for (const name of SPOKEN) {
    const value = original[name];
    if (typeof value !== 'string') continue;
    const seen = seenText(value);
    if (seen !== value) changed[name] = seen;
  }
  for (const _ in changed) return { ...original, ...changed };
  return props;
}

function seenChildren(children: unknown): unknown {
  if (typeof children === 'string') return seenText(children);
  if (!Array.isArray(children)) return children;
  const seen = children.map(seenChildren);
  return seen.some((child, at) => child !== children[at]) ? seen : children;
}
