/** Cells of the tables. */
import type { ReactNode } from 'react';
import {
  formatCost,
  formatCount,
  formatDuration,
  formatShare,
  groupThousands,
} from '../../../model/text/format.ts';
import { plainLine } from '../../../model/text/hidden-characters.ts';
import { PARTS_TEXT } from '../../../texts.ts';
import { StatusIcon } from '../icons.tsx';

/** Duration; a dot for null or zero, so that the rest stands out. */
export function Took({ ns }: { readonly ns: number | null }) {
  return ns === null || ns === 0 ? <Nothing /> : formatDuration(ns);
}

export function Count({ of, title }: { readonly of: number | null; readonly title?: string }) {
  if (of === null || of === 0) return <Nothing />;
  return <span title={title ?? groupThousands(of)}>{formatCount(of)}</span>;
}

export function Cost({ usd }: { readonly usd: number }) {
  return usd === 0 ? <Nothing /> : formatCost(usd);
}

function Nothing() {
  return (
    <span className="ins-stats__nothing" aria-hidden="true">
      ·
    </span>
  );
}

export function Errors({ count }: { readonly count: number }) {
  if (count === 0) return <Nothing />;
  return (
    <span className="ins-stats__errors">
      <StatusIcon shape="failed" />
      {groupThousands(count)}
    </span>
  );
}

/** A fraction of the total as a number, and as a bar relative to the greatest. */
interface PartProps {
  readonly of: number;
  readonly whole: number;
  readonly most: number;
}

export function Part({ of, whole, most }: PartProps) {
  const part = whole === 0 ? 0 : Math.min(1, of / whole);
  return (
    <span className="ins-stats__part">
      <span className="ins-stats__track" aria-hidden="true">
        <span
          className="ins-stats__fill"
          style={{ width: `${most === 0 ? 0 : (of / most) * 100}%` }}
        />
      </span>
      {formatShare(part)}
    </span>
  );
}

interface SpanLinkProps {
  readonly onOpen: () => void;
  readonly title: string;
  readonly icon?: ReactNode;
  /** Name as received; hidden characters are written out here. */
  readonly name: string;
}

export function SpanLink({ onOpen, title, icon, name }: SpanLinkProps) {
  return (
    <button type="button" className="ins-stats__link" title={title} onClick={onOpen}>
      {icon}
      <span>{plainLine(name) || PARTS_TEXT.noName}</span>
    </button>
  );
}
