/**
 * Check of edited arguments: whether they are JSON, and what changes; long texts are checked after
 * a pause in typing.
 */
import { useEffect, useMemo, useState } from 'react';
import { type Formatted, formatJson } from '../../../model/json/json-format.ts';
import { type HiddenPlace, hiddenPlaces } from '../../../model/text/hidden-characters.ts';
import { diffTexts, type TextDiff } from '../../../model/text/text-diff.ts';

export interface EditCheck {
  /** The checked text. */
  readonly of: string;
  readonly formatted: Formatted;
  /** Difference to the original arguments, both formatted alike. */
  readonly diff: TextDiff;
  readonly hidden: readonly HiddenPlace[];
}

export interface LineMark {
  /** Line number, from 1. */
  readonly line: number;
  readonly kind: 'mistake' | 'hidden';
}

/** Selected characters of an editor. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

const LONG = 50_000;
const PAUSE_MS = 300;
const SHOWN_HIDDEN = 500;
const SAME: TextDiff = { hunks: [], editCount: 0 };

/** The check; undefined if nothing is edited or it is not done yet. */
export function useEditCheck(original: string, edited: string | undefined): EditCheck | undefined {
  const settled = useSettled(edited);
  const check = useMemo(
    () => (settled === undefined ? undefined : checkEdit(original, settled)),
    [original, settled],
  );
  return check !== undefined && check.of === edited ? check : undefined;
}

/** Whether the text is JSON without duplicate keys: parsers differ in which of two counts. */
export function canBeSent({ formatted }: EditCheck): boolean {
  return formatted.isJson && formatted.twice === undefined;
}

function checkEdit(original: string, edited: string): EditCheck {
  const formatted = formatJson(edited);
  return {
    of: edited,
    formatted,
    diff: formatted.isJson ? diffTexts(original, formatted.text) : SAME,
    hidden: hiddenPlaces(edited, SHOWN_HIDDEN),
  };
}

function useSettled(text: string | undefined): string | undefined {
  const isShort = text === undefined || text.length <= LONG;
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    if (isShort) return;
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, isShort]);
  return isShort ? text : settled;
}
