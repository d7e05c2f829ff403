import { expect, test } from 'vitest';
import {
  type Field,
  initialValues,
  inputModeOf,
  mistakeIn,
  mistakesIn,
  payloadOf,
  readForm,
} from './form.ts';

function form(properties: string, required: readonly string[] = []): readonly Field[] {
  const fields = readForm(
    `{"type":"object","required":${JSON.stringify(required)},"properties":{${properties}}}`,
  );
  if (fields === undefined) throw new Error('no form');
  return fields;
}

function only(schema: string, isRequired = true): Field {
  const [field] = form(`"x":${schema}`, isRequired ? ['x'] : []);
  if (field === undefined) throw new Error('no field');
  return field;
}

test('a whole number beyond 2^53 comes through as it was typed', () => {
  const fields = form('"id":{"type":"integer"}', ['id']);
  expect(payloadOf(fields, [['9007199254740993']])).toBe('{"id":9007199254740993}');
});

test('defaults and choices keep the numbers of the schema', () => {
  const fields = form(
    '"id":{"type":"integer","default":9007199254740993},"one":{"enum":[9007199254740993,1.0]}',
  );
  expect(initialValues(fields)).toEqual([['9007199254740993'], ['']]);
  expect(fields[1]?.choices.map(({ json }) => json)).toEqual(['9007199254740993', '1.0']);
});

test('every kind of field ends up as JSON', () => {
  const fields = form(
    [
      '"name":{"type":"string"}',
      '"rate":{"type":"number"}',
      '"yes":{"type":"boolean"}',
      '"channel":{"type":"string","enum":["stable","beta"]}',
      '"platforms":{"type":"array","items":{"anyOf":[{"const":"linux","title":"Linux"},{"const":"mac"}]}}',
      '"more":{"type":"object","properties":{}}',
      '"unsaid":{"type":"string"}',
    ].join(','),
  );
  expect(fields.map(({ kind }) => kind)).toEqual([
    'string',
    'number',
    'boolean',
    'choice',
    'choices',
    'json',
    'string',
  ]);
  const payload = payloadOf(fields, [
    ['"; drop'],
    ['1.50'],
    ['true'],
    ['"beta"'],
    ['"linux"', '"mac"'],
    ['{"deep": [1e400]}'],
    [''],
  ]);
  expect(payload).toBe(
    '{"name":"\\"; drop","rate":1.50,"yes":true,"channel":"beta",' +
      '"platforms":["linux","mac"],"more":{"deep": [1e400]}}',
  );
});

test('a property called __proto__ is a field like any other', () => {
  const fields = form('"__proto__":{"type":"string"},"constructor":{"type":"integer"}', [
    '__proto__',
  ]);
  expect(fields.map(({ key }) => key)).toEqual(['__proto__', 'constructor']);
  expect(payloadOf(fields, [['x'], ['1']])).toBe('{"__proto__":"x","constructor":1}');
});

test.each([
  ['{"type":"integer"}', '1.5', 'Enter a whole number.'],
  ['{"type":"integer"}', '1e3', 'Enter a whole number.'],
  ['{"type":"number"}', 'ten', 'Enter a number, such as 1.5.'],
  [
    '{"type":"integer","maximum":9007199254740993}',
    '9007199254740994',
    'At most 9007199254740993.',
  ],
  ['{"type":"number","minimum":0.5}', '0.25', 'At least 0.5.'],
  ['{"type":"string","minLength":3}', 'ab', 'At least 3 characters.'],
  ['{"type":"string","maxLength":2}', '😀😀😀', 'At most 2 characters.'],
  ['{"type":"string","format":"email"}', 'nobody', 'Enter an email address.'],
  ['{"type":"string","format":"date"}', 'soon', 'Enter a date, such as 2026-01-31.'],
  ['{"type":"object"}', '{"a":}', 'Not JSON: a value is missing.'],
  ['{"type":"string"}', '', 'Required.'],
])('of %s, %j is said to be wrong', (schema, typed, mistake) => {
  const field = only(schema);
  expect(mistakeIn(field, [typed])).toBe(mistake);
  expect(payloadOf([field], [[typed]])).toBeUndefined();
});

test.each([
  ['{"type":"integer","maximum":9007199254740993}', '9007199254740993'],
  ['{"type":"string","format":"toString"}', 'anything'],
  ['{"type":"string","format":"uri"}', 'https://example.org/?q=1'],
  ['{"type":"string","minLength":0}', ''],
])('of %s, %j is right', (schema, typed) => {
  expect(mistakeIn(only(schema), [typed])).toBeUndefined();
});

test('too few choices are said', () => {
  const field = only('{"type":"array","minItems":1,"items":{"enum":["a","b"]}}');
  expect(mistakeIn(field, [])).toBe('Choose at least 1.');
});

test('a schema of one value asks for that value', () => {
  const fields = readForm('{"type":"boolean","title":"Go on?"}') ?? [];
  expect(payloadOf(fields, [['true']])).toBe('true');
});

test('what cannot be read as a schema is no form', () => {
  expect(readForm('not json')).toBeUndefined();
  expect(readForm('[1]')).toBeUndefined();
});

test.each([
  ['{"type":"string","pattern":"^(a+)+$","minLength":2}', ['pattern "^(a+)+$"']],
  ['{"type":"string","format":"hostname"}', ['format "hostname"']],
  ['{"type":"string","format":"email","title":"E","examples":["a@b"]}', []],
  [
    '{"type":"number","minimum":1,"exclusiveMaximum":9007199254740993}',
    ['exclusiveMaximum 9007199254740993'],
  ],
  ['{"type":"array","items":{"enum":["a"]},"uniqueItems":true}', ['uniqueItems true']],
  [
    '{"type":"array","items":{"type":"string"},"maxItems":3}',
    ['items {"type":"string"}', 'maxItems 3'],
  ],
  ['{"type":"boolean","not":{"const":true}}', ['not {"const":true}']],
  ['{"type":"string","__proto__":1}', ['__proto__ 1']],
])('what the form of %s does not check is said', (schema, expected) => {
  expect(only(schema).unchecked.map(({ keyword, json }) => `${keyword} ${json}`)).toEqual(expected);
});

test('a pattern of others is never run: it could take hours', () => {
  const field = only('{"type":"string","pattern":"^(a+)+$"}');
  expect(mistakeIn(field, [`${'a'.repeat(60)}!`])).toBeUndefined();
});

test('a constant is the only choice', () => {
  expect(only('{"const":9007199254740993}').choices.map(({ json }) => json)).toEqual([
    '9007199254740993',
  ]);
});

test('the fields of an object in the answer are fields, those of an object in that are JSON', () => {
  const address =
    '{"type":"object","title":"Address","required":["city"],"minProperties":1,"properties":' +
    '{"city":{"type":"string"},"zip":{"type":"integer"},"geo":{"type":"object","properties":{"lat":{}}}}}';
  const fields = form(`"name":{"type":"string"},"address":${address},"end":{"type":"boolean"}`);
  expect(fields.map(({ group, key, kind }) => [group?.title, key, kind])).toEqual([
    [undefined, 'name', 'string'],
    ['Address', 'city', 'string'],
    ['Address', 'zip', 'integer'],
    ['Address', 'geo', 'json'],
    [undefined, 'end', 'boolean'],
  ]);
  expect(fields[1]?.group?.unchecked).toEqual([{ keyword: 'minProperties', json: '1' }]);

  const left = [['Ada'], [''], [''], [''], ['true']];
  expect(payloadOf(fields, left)).toBe('{"name":"Ada","end":true}');
  const half = left.with(2, ['9007199254740993']);
  expect(mistakesIn(fields, half)[1]).toBe('Required.');
  expect(payloadOf(fields, half)).toBeUndefined();
  expect(payloadOf(fields, half.with(1, ['Łódź']))).toBe(
    '{"name":"Ada","end":true,"address":{"city":"Łódź","zip":9007199254740993}}',
  );
});

test('an object that is required is there with all that it requires, or not sent', () => {
  const fields = form('"a":{"type":"object","properties":{"b":{"type":"string"}}}', ['a']);
  expect(payloadOf(fields, [['']])).toBe('{"a":{}}');
});

test('a keyboard of digits is for numbers that have no sign', () => {
  const mode = (schema: string) => inputModeOf(only(schema));
  expect(mode('{"type":"integer","minimum":0}')).toBe('numeric');
  expect(mode('{"type":"number","minimum":0.5}')).toBe('decimal');
  expect(mode('{"type":"integer"}')).toBe('text');
  expect(mode('{"type":"string","format":"uri"}')).toBe('url');
});
