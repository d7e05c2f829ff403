import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { judge } from '../src/control/answer-check.js';
import { NO_ARGUMENTS, show } from '../src/control/arguments.js';
import { Control, type Ending, type Question } from '../src/control/control.js';
import type { ReceivedAnswer } from '../src/control/protocol.js';
import { EventSplitter } from '../src/service/event-stream.js';
import { until } from './support/api.js';
import { command, FakeService } from './support/fake-service.js';

const args = { path: '/tmp/a' };
const location = { sessionId: 's', traceId: undefined, spanId: undefined };
const question = (more: Partial<Question> = {}): Question => ({
  kind: 'approval',
  prompt: 'Run?',
  default: 'deny',
  timeoutMs: 30_000,
  view: show(args),
  args: () => args,
  location,
  ...more,
});
const unseen = { opened: () => {}, closed: () => {} };

describe('the channel', () => {
  let service: FakeService;
  let control: Control;

  beforeEach(async () => {
    service = await FakeService.start();
    const address = { url: service.url, token: 'none', isNamed: true };
    const process = { id: 'p', service: 'test' };
    control = new Control(
      () => address,
      () => process,
      false,
    );
    control.channel.start();
  });
  afterEach(async () => {
    await control.close();
    service.stop();
  });

  const opened = () =>
    service.messages
      .filter(({ type }) => type === 'request_opened')
      .map(({ request }) => request?.id);
  const answering = (id: string, more: object = {}) => ({
    type: 'answer',
    answer: {
      request_id: id,
      decision: 'allow',
      args_json: null,
      args_hash: show(args).hash,
      payload_json: null,
      ...more,
    },
  });

  const acksOf = (seq: number) =>
    service.messages.filter((one) => one.type === 'ack' && one.seq === seq);
  const passenger = {
    sessionId: 's',
    traceId: undefined,
    isScope: false,
    cancel: () => {},
    held: () => () => {},
  };

  test('acknowledges every command that has a number, and carries out each once', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    await service.send('{"not": "closed"');
    await service.send(command(1, { trace_ids: 'none' }));
    await service.send(command(2, { type: 'explode' }));
    await service.send(command(3, { type: 'answer' }));
    await service.send(command(4, { type: 'step' }));
    await service.send(command(4, { type: 'step' }));
    await until(() => acksOf(4).length === 2 || undefined);
    expect(control.gate.pass(passenger)).toBe(true);
    const held = control.gate.pass(passenger); // one step, though it came twice
    expect(held).toBeInstanceOf(Promise);
    await service.send(command(5, { type: 'resume', unknown: 'field' }));
    await service.ack(5);
    expect(await held).toBe(true);
    const acks = service.messages.filter(({ type }) => type === 'ack');
    expect([...new Set(acks.map(({ seq, applied }) => `${seq} ${applied}`))]).toEqual([
      '1 false',
      '2 false',
      '3 false',
      '4 true',
      '5 true',
    ]);
    expect(acks.find(({ seq }) => seq === 2)?.reason).toBe("this agent does not support 'explode'");
    vi.restoreAllMocks();
  });

  test('says hello and opens its requests again where the service has forgotten it', async () => {
    const ending = control.ask(question(), unseen);
    const id = (await until(() => opened()[0])) as string;
    let isForgetful = true;
    service.replyTo = () => {
      if (!isForgetful) return 200;
      isForgetful = false;
      return 404;
    };
    await until(() => (service.hellos === 2 && opened().length >= 2 ? true : undefined));
    expect(new Set(opened())).toEqual(new Set([id]));
    await service.send(command(7, answering(id)));
    expect(await ending).toMatchObject({ status: 'answered', decision: 'allow', actor: 'Ada' });
  });

  test('finds the message that is never taken, and delivers the others', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const isBad = ({ request }: { request?: { id: string } }) => request?.id === bad;
    let bad = '';
    service.replyTo = (batch) => (batch.some(isBad) ? 422 : 200);
    control.ask(question({ timeoutMs: 60_000 }), unseen);
    bad = (await until(() => opened()[0])) as string;
    const good = control.ask(question(), unseen);
    const id = (await until(() => opened().find((one) => one !== bad))) as string;
    await service.send(command(8, answering(id)));
    expect(await good).toMatchObject({ decision: 'allow' });
    vi.restoreAllMocks();
  });

  test('takes one answer, in time, and nothing twice', async () => {
    const endings: Ending[] = [];
    const ending = control.ask(question(), { ...unseen, closed: (_, one) => endings.push(one) });
    const id = (await until(() => opened()[0])) as string;
    await service.send(command(1, answering('other')));
    await service.send(command(2, answering(id, { args_hash: 'another' })));
    await service.send(command(3, answering(id)));
    await service.send(command(4, answering(id, { decision: 'deny' })));
    const acks = await Promise.all([1, 2, 3, 4].map((seq) => service.ack(seq)));
    expect(acks.map(({ applied }) => applied)).toEqual([false, false, true, false]);
    expect((await ending).decision).toBe('allow');
    expect(endings).toHaveLength(1);
    const closed = await until(() =>
      service.messages.find(({ type }) => type === 'request_closed'),
    );
    expect(closed).toMatchObject({ request_id: id, status: 'answered', decision: 'allow' });
  });

  test('lets go what is held when the service has been away for long', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    await service.send(command(1, {}));
    await service.ack(1);
    const passed = control.gate.pass(passenger);
    expect(passed).toBeInstanceOf(Promise);
    service.stop();
    expect(await passed).toBe(true);
    vi.restoreAllMocks();
  });
});

describe('the judge of an answer', () => {
  const given = (more: Partial<ReceivedAnswer>): ReceivedAnswer => ({
    requestId: 'r',
    decision: 'allow',
    argsJson: null,
    argsHash: show(args).hash,
    payloadJson: null,
    actor: 'Ada',
    origin: 'api',
    reason: null,
    ...more,
  });
  const asked = { kind: 'approval', view: show(args), args: () => args, canAlways: false } as const;

  test.each([
    [{ decision: 'answer' }, /not a valid answer/],
    [{ decision: 'allow_always' }, /cannot be allowed always/],
    [{ argsHash: null }, /different arguments/],
    [{ decision: 'deny', argsJson: '{}' }, /deny does not accept arguments/],
    [{ argsJson: '{"path": 9007199254740993}' }, /exactly/],
  ])('refuses %j', (more, reason) => {
    const verdict = judge({ ...asked, form: undefined }, given(more));
    expect(verdict).toMatchObject({ kind: 'refused', reason: expect.stringMatching(reason) });
  });

  test('ends a request whose arguments have changed', () => {
    const changed = { ...asked, args: () => ({ path: '/etc/passwd' }), form: undefined };
    expect(judge(changed, given({}))).toEqual({ kind: 'changed' });
    expect(judge(changed, given({ decision: 'deny' }))).toEqual({ kind: 'accepted' });
  });

  test.each([
    ['{"n": 3, "who": "ada", "tags": ["a"]}', undefined],
    ['{"n": 0, "who": "ada"}', /'n' must be at least 1/],
    ['{"n": 1.5, "who": "ada"}', /of type integer/],
    ['{"n": 1}', /is missing 'who'/],
    ['{"n": 1, "who": "eve"}', /must be one of "ada", "bob"/],
    ['{"n": 1, "who": "ada", "x": 1}', /unknown field/],
    ['{"n": 1, "who": "ada", "tags": [1]}', /item 1 must be of type string/],
    ['[]', /of type object/],
  ])('holds %s against the form', (payloadJson, reason) => {
    const form = {
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: 1 },
        who: { oneOf: [{ const: 'ada', title: 'Ada' }, { const: 'bob' }] },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['n', 'who'],
      additionalProperties: false,
    };
    const about = { ...asked, kind: 'question', view: NO_ARGUMENTS, form } as const;
    const verdict = judge(about, given({ decision: 'answer', argsHash: null, payloadJson }));
    if (reason === undefined) expect(verdict.kind).toBe('accepted');
    else expect(verdict).toMatchObject({ reason: expect.stringMatching(reason) });
  });
});

test('events are read from pieces of any size', () => {
  const stream = ': alive\r\n\r\nid: 1\ndata: a\ndata: b\n\ndata:c\n\n';
  for (const size of [1, 2, 3, 7, 100]) {
    const events = new EventSplitter();
    const found: string[] = [];
    for (let at = 0; at < stream.length; at += size) {
      found.push(...events.feed(stream.slice(at, at + size)));
    }
    expect(found).toEqual(['a\nb', 'c']);
  }
});
