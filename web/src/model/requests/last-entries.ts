/** The last entries of a transcript, in short. */
import type { Clip, Piece, Reading, Said, Transcript } from '../../api/types.ts';
import { membersLine } from '../json/json-text.ts';
import { plainLine } from '../text/hidden-characters.ts';

export interface Entry {
  readonly key: string;
  /** A role, a model or a tool. */
  readonly who: string;
  readonly text: string;
  /** Undefined: it is over, and did not fail. */
  readonly state: 'failed' | 'waiting' | 'running' | undefined;
}

const SHOWN = 3;
const MAX_TEXT = 400;

/** `asking`: key of the span that asks; what came of it is not before its question. */
export function lastEntries({ readings }: Transcript, asking?: string): readonly Entry[] {
  return readings.flatMap((one) => entriesOf(one, asking)).slice(-SHOWN);
}

function entriesOf(reading: Reading, asking: string | undefined): Entry[] {
  const key = `${reading.trace_id}.${reading.span_id}`;
  const { tool, error } = reading;
  if (tool !== null && key === asking) {
    const who = plainLine(tool.name, 80);
    return [{ key, who, text: textOf(tool.arguments), state: openState(reading) }];
  }
  if (tool !== null) {
    const result = error?.message ?? tool.result;
    const text = [argumentsOf(tool.arguments), textOf(result)].filter((one) => one !== '');
    const state = tool.is_error || error !== null ? 'failed' : openState(reading);
    return [{ key, who: plainLine(tool.name, 80), text: text.join(' → '), state }];
  }
  const spoken = reading.said.flatMap((one, at) => {
    // What tools answered is in their own entries.
    if (one.origin !== 'output' && one.role !== 'user') return [];
    const text = one.pieces
      .map(pieceText)
      .filter((piece) => piece !== '')
      .join(' ');
    return text === ''
      ? []
      : [{ key: `${key}.${at}`, who: nameOf(one, reading), text, state: undefined }];
  });
  const state = error === null ? openState(reading) : 'failed';
  if (state === undefined) return spoken;
  const who = plainLine(reading.model ?? '', 80) || 'model';
  const text = textOf(error?.message ?? null);
  return [...spoken, { key: `${key}.end`, who, text, state }];
}

function openState(reading: Reading): 'waiting' | 'running' | undefined {
  if (reading.status !== 'running') return undefined;
  return reading.asked.some((one) => one.waited_ns === null) ? 'waiting' : 'running';
}

function nameOf({ role, origin }: Said, { model }: Reading): string {
  return plainLine((origin === 'output' ? model : null) ?? role, 80);
}

function pieceText({ type, name, clip }: Piece): string {
  if (type === 'reasoning') return '';
  return type === 'tool_call' ? `${plainLine(name ?? '', 80)}(${argumentsOf(clip)})` : textOf(clip);
}

function argumentsOf(clip: Clip | null): string {
  return textOf(clip && { ...clip, text: membersLine(clip.text) });
}

/** The beginning, in one paragraph. */
function textOf(clip: Clip | null): string {
  if (clip === null) return '';
  const text = clip.text.slice(0, MAX_TEXT).replace(/\s+/g, ' ').trim();
  return clip.chars > MAX_TEXT ? `${text} …` : text;
}
