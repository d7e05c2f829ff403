/** Text of readings: calls with their tools, arguments on one line, results plain. */
import type { Clip, Piece, Reading } from '../../api/types.ts';
import { indexJson, JsonKind } from '../json/json-text.ts';

/** A tool that ran after an LLM call; `call_id` is known once it has been read. */
interface RanTool {
  readonly key: string;
  readonly name: string;
  readonly call_id: string | undefined;
}

/**
 * Which tool did what a model asked for: by the id of the call, else by name and order. The n-th
 * call that is left of a name goes with the n-th tool that is left of it.
 *
 * Returns the key of the tool for the index of each call that has one.
 */
export function joinCalls(
  calls: readonly Pick<Piece, 'id' | 'name'>[],
  tools: readonly RanTool[],
): ReadonlyMap<number, string> {
  const joined = new Map<number, string>();
  const left = new Set(tools);
  calls.forEach((call, at) => {
    if (call.id == null) return;
    for (const tool of left) {
      if (tool.call_id !== call.id) continue;
      joined.set(at, tool.key);
      left.delete(tool);
      break;
    }
  });
  calls.forEach((call, at) => {
    if (joined.has(at)) return;
    for (const tool of left) {
      if (tool.name !== call.name) continue;
      // Another id means another call.
      if (tool.call_id !== undefined && call.id != null) continue;
      joined.set(at, tool.key);
      left.delete(tool);
      break;
    }
  });
  return joined;
}

/** The tools that an LLM call requests. */
export function callsOf(reading: Reading | undefined): Piece[] {
  if (reading === undefined) return [];
  return reading.said
    .filter(({ origin }) => origin === 'output')
    .flatMap(({ pieces }) => pieces.filter(({ type }) => type === 'tool_call'));
}

/** Results that were sent to a model, by the id of the call. */
export function resultsOf(reading: Reading | undefined): ReadonlyMap<string, Piece> {
  const found = new Map<string, Piece>();
  for (const { origin, pieces } of reading?.said ?? []) {
    if (origin === 'output') continue;
    for (const piece of pieces)
      if (piece.type === 'tool_result' && piece.id != null) found.set(piece.id, piece);
  }
  return found;
}

export function isCut(clip: Clip): boolean {
  return clip.chars > [...clip.text].length;
}

const MAX_VALUE = 90;
const MAX_ARGUMENTS = 8;

/** Arguments as names and values, shortened; undefined when they are no JSON object. */
export function argumentPairs(clip: Clip): (readonly [string, string])[] | undefined {
  if (!clip.is_json) return undefined;
  const index = indexJson(clip.text);
  if (index === undefined || index.kind[0] !== JsonKind.Object) return undefined;
  const pairs: (readonly [string, string])[] = [];
  for (const child of index.children(0)) {
    if (pairs.length === MAX_ARGUMENTS) {
      pairs.push(['…', '']);
      break;
    }
    const value =
      index.kind[child] === JsonKind.String
        ? index.string(child, 4 * MAX_VALUE)
        : index.source(child);
    pairs.push([index.key(child) ?? '', shortened(value)]);
  }
  return pairs;
}

/** Whether the values of arguments are so long that names and values on a line hide them. */
export function areDeep(clip: Clip): boolean {
  const index = clip.is_json && !isCut(clip) ? indexJson(clip.text) : undefined;
  if (index === undefined) return false;
  for (const child of index.children(0)) {
    const isContainer = (index.childCount[child] ?? 0) > 0;
    if (isContainer && index.source(child).length > MAX_VALUE) return true;
  }
  return false;
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= MAX_VALUE ? line : `${line.slice(0, MAX_VALUE - 1)}…`;
}

/** Wrappers of a result that is only a text. */
const WRAPPED = [
  /^\s*\{\s*"(?:result|output|text|content)"\s*:\s*"/,
  /^\s*\{\s*"content"\s*:\s*\[\s*\{\s*"type"\s*:\s*"text"\s*,\s*"text"\s*:\s*"/,
  /^\s*"/,
];

/**
 * The text in a result that is JSON around a text, as tools of MCP and of many frameworks give it;
 * undefined when it is something else.
 */
export function wrappedText(clip: Clip): string | undefined {
  if (!clip.is_json) return clip.text;
  if (isCut(clip)) return cutText(clip.text);
  const index = indexJson(clip.text);
  if (index === undefined) return undefined;
  if (index.kind[0] === JsonKind.String) return index.string(0);
  if (index.kind[0] !== JsonKind.Object) return undefined;
  const content = index.member(0, 'content');
  if (content !== undefined && index.kind[content] === JsonKind.Array) {
    const texts: string[] = [];
    for (const part of index.children(content)) {
      const type = index.member(part, 'type');
      const text = index.member(part, 'text');
      if (text === undefined || index.kind[text] !== JsonKind.String) return undefined;
      if (type !== undefined && index.string(type) !== 'text') return undefined;
      texts.push(index.string(text));
    }
    return texts.length === 0 ? undefined : texts.join('\n');
  }
  // A message of a tool: what is beside its text is for the framework.
  if (content !== undefined && index.kind[content] === JsonKind.String) {
    const type = index.member(0, 'type');
    const call = index.member(0, 'tool_call_id');
    if (type !== undefined && call !== undefined && index.string(type) === 'tool')
      return index.string(content);
  }
  if (index.childCount[0] !== 1 || index.kind[1] !== JsonKind.String) return undefined;
  return ['result', 'output', 'text', 'content'].includes(index.key(1) ?? '')
    ? index.string(1)
    : undefined;
}

function cutText(text: string): string | undefined {
  for (const wrapping of WRAPPED) {
    const begun = wrapping.exec(text);
    if (begun === null) continue;
    const rest = text.slice(begun[0].length);
    // It has not ended, or the result is more than this text.
    if (/(^|[^\\])(\\\\)*"/.test(rest)) return undefined;
    const whole = rest.replace(/\\(u[0-9a-fA-F]{0,3})?$/, '');
    try {
      return JSON.parse(`"${whole}"`) as string;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** All text of a reading, to be searched and copied. */
export function wordsOf(reading: Reading): string {
  const found: (string | null | undefined)[] = [];
  for (const { pieces } of reading.said)
    for (const { name, clip, uri } of pieces) found.push(name, clip?.text, uri);
  const { tool, mcp, error } = reading;
  found.push(tool?.name, tool?.arguments?.text, tool?.result?.text);
  found.push(mcp?.method, mcp?.resource_uri, mcp?.prompt_name);
  found.push(error?.type, error?.message?.text);
  for (const one of reading.decisions)
    found.push(one.interceptor, one.action, one.reason, one.before?.text, one.after?.text);
  for (const one of reading.asked) found.push(one.prompt, one.decision, one.actor, one.reason);
  for (const one of reading.state) found.push(one.name, one.value?.text ?? one.patch?.text);
  return found.filter((text) => text != null && text !== '').join('\n');
}
