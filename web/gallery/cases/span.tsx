import { indexJson } from '../../src/model/json-text.ts';
import { JsonTree } from '../../src/views/span/json-tree.tsx';
import { Markdown } from '../../src/views/span/markdown.tsx';
import { SpanPanel } from '../../src/views/span/span-panel.tsx';
import type { GalleryCase } from '../case.ts';
import { EXACT_JSON, MARKDOWN, spans } from '../fixtures.ts';
import { useTrace } from '../use-trace.ts';

function Panel({ span }: { readonly span: string }) {
  const trace = useTrace('waiting');
  return <SpanPanel trace={trace} selected={`${spans[0]?.trace_id}.${span}`} onClose={() => {}} />;
}

function Json() {
  const index = indexJson(EXACT_JSON);
  return index && <JsonTree index={index} root={0} what="the example" />;
}

export const cases: readonly GalleryCase[] = [
  ...['kind-llm', 'error', 'waiting'].map((span) => ({
    name: `span panel, ${span}`,
    height: 560,
    Shown: () => <Panel span={span} />,
  })),
  { name: 'markdown', isPadded: true, Shown: () => <Markdown text={MARKDOWN} /> },
  { name: 'json', isPadded: true, Shown: Json },
];
