import { expect, test } from 'vitest';
import type { GivenAnswer } from '../../api/types.ts';
import { exampleRequest } from '../examples.ts';
import {
  allowLabel,
  alwaysLabel,
  appliedText,
  argumentsLine,
  compareUrgentFirst,
  headlineOf,
  isGranted,
  lineOf,
  newerRequest,
  notEditable,
  outcomeOf,
} from './request.ts';

const granted: GivenAnswer = {
  decision: 'allow',
  actor: 'Ana',
  origin: 'browser',
  at: '2026-01-01T00:01:00Z',
  reason: null,
  is_edited: true,
  applied: null,
  applied_reason: null,
};

const answered = exampleRequest({
  status: 'answered',
  answer: granted,
  transitions: [
    ...exampleRequest().transitions,
    { status: 'answered', at: '', actor: 'Ana', origin: 'browser', reason: null },
  ],
});

test('a button says what it will do', () => {
  expect(allowLabel(exampleRequest(), 0)).toBe('Allow delete_file once');
  expect(allowLabel(exampleRequest(), 1)).toBe('Allow with 1 edit');
  expect(allowLabel(exampleRequest(), 2)).toBe('Allow with 2 edits');
  expect(allowLabel(exampleRequest({ kind: 'breakpoint' }), 0)).toBe('Continue');
  expect(alwaysLabel(exampleRequest())).toBe(
    'Always allow for "policy ask-delete" in this session',
  );
});

test('an interceptor with the name of a function is called by what is last in it', () => {
  const name = (interceptor: string) =>
    /"(.*)"/.exec(alwaysLabel(exampleRequest({ interceptor })))?.[1];
  expect(name('__main__.ask_by_a_rule.<locals>.by_rule')).toBe('by_rule');
  expect(name('app.gates.Gate')).toBe('Gate');
  expect(name('__main__.ask.<locals>.<lambda>')).toBe('ask');
  expect(name('policy rules.json')).toBe('policy rules.json');
});

test('a question is listed by its first line, other requests by who wants what', () => {
  const question = exampleRequest({
    kind: 'question',
    prompt: '\nWhich\u202e channel?\nThe build is 7.',
  });
  expect(lineOf(question)).toBe('Which[U+202E] channel?');
  expect(lineOf({ ...question, prompt: ' ', tool_name: 'ask' })).toBe('Question from ask');
  expect(lineOf(exampleRequest({ prompt: 'Really?' }))).toBe('delete_file wants to run');
});

test('requests of one tool differ on their lines where their arguments do', () => {
  const root = '/srv/data/releases/2026-01-01/europe-west/customers/';
  const line = (args: string | null) => argumentsLine(exampleRequest({ args_json: args }));
  expect(line(`{"path":"${root}a.csv"}`)).toMatch(/^path: \/srv\/data.*….*customers\/a\.csv$/);
  expect(line(`{"path":"${root}a.csv","id":9007199254740993,"force":true}`)).toMatch(
    /a\.csv, id: 9007199254740993, force: true$/,
  );
  expect(line('{"a":"x\u202e"}')).toBe('a: x[U+202E]');
  expect(line('["a"]')).toBe('["a"]');
  expect(line(null)).toBe('');
});

test('a name cannot make a button say something else', () => {
  const request = exampleRequest({ tool_name: `\u202e\u200b\nread${'x'.repeat(500)}` });
  expect(allowLabel(request, 0)).toMatch(/^Allow \[U\+202E\]\[U\+200B\] readx{38}… once$/);
  expect(headlineOf(exampleRequest({ tool_name: '\u200b' }))).toBe('[U+200B] wants to run');
});

test('who asks a question is said', () => {
  const headline = (signal_name: string | null) =>
    headlineOf(exampleRequest({ kind: 'question', tool_name: null, signal_name }));
  expect(headline(null)).toBe('Question');
  expect(headline('elicitation')).toBe('MCP server question');
  expect(headline('approved')).toBe('Waiting for signal "approved"');
});

test('what is closed has one name, and wants nothing any more', () => {
  expect(headlineOf(answered)).toBe('delete_file wanted to run');
  expect(headlineOf({ ...answered, tool_name: null })).toBe('Approval');
  expect(headlineOf({ ...answered, kind: 'question' })).toBe('Question from delete_file');
  expect(headlineOf({ ...answered, kind: 'breakpoint' })).toBe('Stopped before delete_file');
});

test('of two versions the one with more transitions counts, whichever comes first', () => {
  const pending = exampleRequest();
  expect(newerRequest(pending, answered)).toBe(answered);
  expect(newerRequest(answered, pending)).toBe(answered);
  expect(newerRequest(undefined, pending)).toBe(pending);
});

test('what the agent said of an answer is not forgotten', () => {
  const applied = { ...answered, answer: { ...granted, applied: true } };
  expect(newerRequest(applied, answered)).toBe(applied);
  expect(newerRequest(answered, applied)).toBe(applied);
});

test('a lost request that is back is the newer one', () => {
  const change = (status: 'lost' | 'pending') =>
    ({ status, at: '', actor: '', origin: 'service', reason: null }) as const;
  const lost = exampleRequest({
    status: 'lost',
    transitions: [...exampleRequest().transitions, change('lost')],
  });
  const back = exampleRequest({ transitions: [...lost.transitions, change('pending')] });
  expect(newerRequest(lost, back)).toBe(back);
  expect(newerRequest(back, lost)).toBe(back);
});

test('how it ended is said with who did it, and whether the agent took it', () => {
  expect(outcomeOf(answered)).toBe('allowed with edits by Ana');
  expect(appliedText(answered)).toBe('sent, not yet acknowledged by the agent');
  const refused = { ...granted, applied: false, applied_reason: 'not open here' };
  expect(appliedText({ ...answered, answer: refused })).toBe(
    'rejected by the agent: not open here',
  );
  expect(outcomeOf(exampleRequest({ status: 'expired', default: 'deny' }))).toBe(
    'Timed out: denied by default',
  );
});

test('why arguments cannot be edited is said', () => {
  expect(notEditable(exampleRequest())).toBeUndefined();
  expect(notEditable(exampleRequest({ args_json: null, args_text: '<object>' }))).toMatch(
    /not edited/,
  );
});

test('what allows by itself comes first, then the soonest deadline, then who waits longest', () => {
  const at = (id: string, created_at: string, expires_at: string | null, decision = 'deny') =>
    exampleRequest({ id, created_at, expires_at, default: decision });
  const sorted = [
    at('f', '3', null),
    at('e', '1', null),
    at('d', '1', null),
    at('c', '2', '2026-01-01T00:09:00Z'),
    at('b', '9', '2026-01-01T00:05:00Z'),
    at('a', '9', '2026-01-01T00:10:00Z', 'allow'),
  ].sort(compareUrgentFirst);
  expect(sorted.map(({ id }) => id).join('')).toBe('abcdef');
});

test('a request that timed out is granted where its default is to allow', () => {
  expect(isGranted(exampleRequest({ status: 'expired', default: 'allow' }))).toBe(true);
  expect(isGranted(exampleRequest({ status: 'expired', default: 'deny' }))).toBe(false);
  expect(isGranted(answered)).toBe(true);
});
