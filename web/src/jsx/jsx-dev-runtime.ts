/** Development version of `jsx-runtime`. */
import { Fragment, jsxDEV as plainJsxDev } from 'react/jsx-dev-runtime';
import { type JSX, seenProps } from './jsx-runtime.ts';

export { Fragment, type JSX };

export const jsxDEV: typeof plainJsxDev = (type, props, ...rest) =>
  plainJsxDev(type, seenProps(type, props), ...rest);
