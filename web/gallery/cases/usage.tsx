/** Cases of the usage page: a full table, parts of it, and nothing. */
import { exampleUsage } from '../../src/model/examples.ts';
import type { GalleryCase } from '../case.ts';
import { type Answers, failure, ok, silence } from '../service.ts';
import { Stage } from '../stage.tsx';

const usage = (values: Parameters<typeof exampleUsage>[0]): Answers =>
  answering(() => ok(JSON.stringify(exampleUsage(values))));

function answering(answer: Answers): Answers {
  return (path, query) => (path === '/sessions/usage' ? answer(path, query) : undefined);
}

function page(name: string, at: string, answers: Answers): GalleryCase {
  return { name: `page, usage, ${name}`, height: 420, Shown: () => <Stage {...{ at, answers }} /> };
}

const PARTLY = { cost_usd: 4.2, uncosted_calls: 31 };

export const cases: readonly GalleryCase[] = [
  page('by user', 'usage', usage([{ name: 'ada', cost_usd: 12.4 }, { name: 'bo' }, { name: '' }])),
  page(
    'some without a cost',
    'usage?by=model&sort=-input&time=7d',
    usage([
      { name: 'gpt-5.2-mini', ...PARTLY },
      { name: 'a model of our own with a very long name that has no end', cost_usd: null },
      { name: 'none\u202eused', llm_calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: null },
    ]),
  ),
  page('none named', 'usage?by=tag', usage([{ name: '' }])),
  page('nothing found', 'usage?by=day&q=title%3Anothing', usage([])),
  page('loading', 'usage', answering(silence)),
  page('failed', 'usage', answering(failure)),
];
