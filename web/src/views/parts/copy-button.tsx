/** Button that copies a text and confirms it. */
import { useEffect, useState } from 'react';
import { ActionIcon } from './icons.tsx';
import './copy-button.css';
import { PARTS_TEXT } from '../../texts.ts';

interface CopyButtonProps {
  readonly text: string | (() => string | Promise<string>);
  /** Name of the copied text: "trace id". */
  readonly what: string;
  /** Text beside the icon. */
  readonly label?: string;
}

const SHOWN_MS = 1200;

export function CopyButton({ text, what, label }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    textToCopy(text)
      .then(copyText)
      .then(
        () => setState('copied'),
        () => setState('failed'),
      );
  };
  const name = state === 'failed' ? PARTS_TEXT.cannotCopy(what) : PARTS_TEXT.copy(what);
  return (
    <button
      type="button"
      className={`ins-copy ins-copy--${state}`}
      title={name}
      aria-label={name}
      onClick={copy}
    >
      <ActionIcon name={state === 'copied' ? 'done' : 'copy'} />
      {label}
    </button>
  );
}

async function textToCopy(text: CopyButtonProps['text']): Promise<string> {
  return typeof text === 'string' ? text : text();
}

export async function copyText(text: string): Promise<void> {
  // Not there on a page that is served from another machine without TLS.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied) throw new Error('The browser does not allow copying.');
}
