/** An agent, a tool or a model by name, to whose spans a view can be narrowed. */
import type { SpanRow } from '../../api/types.ts';
import type { SpanForest } from './span-forest.ts';
import { subjectOf } from './span-key.ts';

export interface Actor {
  readonly kind: 'agent' | 'model' | 'tool';
  readonly name: string;
}

/** The actor in an address: `tool:read_file`; undefined: it is none. */
export function parseActor(text: string): Actor | undefined {
  const colon = text.indexOf(':');
  const [kind, name] = [text.slice(0, colon), text.slice(colon + 1)];
  return kind === 'agent' || kind === 'model' || kind === 'tool' ? { kind, name } : undefined;
}

export function actorText({ kind, name }: Actor): string {
  return `${kind}:${name}`;
}

/** Whether a span is a run of the agent, or a call of the tool or the model. */
export function isBy(row: SpanRow, { kind, name }: Actor): boolean {
  if (kind === 'model') {
    return (row.kind === 'llm' || row.kind === 'embedding') && (row.model ?? row.name) === name;
  }
  return row.kind === kind && subjectOf(row) === name;
}

/** Numbers of the spans of an actor and of all that is below them. */
export function spansOf(
  forest: SpanForest,
  rowOf: (key: string) => SpanRow | undefined,
  actor: Actor,
): number[] {
  const seen = new Uint8Array(forest.size);
  const found: number[] = [];
  for (let number = 0; number < forest.size; number += 1) {
    const row = rowOf(forest.keyOf(number) ?? '');
    if (row !== undefined && isBy(row, actor)) found.push(number);
  }
  const all: number[] = [];
  while (found.length > 0) {
    const number = found.pop() ?? 0;
    if (seen[number] === 1) continue;
    seen[number] = 1;
    all.push(number);
    for (const child of forest.childrenOf(number)) found.push(child);
  }
  return all;
}
