/** The answer to a question: a form of its JSON Schema, or free text. */
import { type ReactNode, useId } from 'react';
import type { Request } from '../../../api/types.ts';
import {
  type Field,
  type FormValues,
  inputModeOf,
  mistakesIn,
  type Rule,
  readForm,
} from '../../../model/requests/form.ts';
import { plainLine } from '../../../model/text/hidden-characters.ts';
import { FORM_TEXT } from '../../../texts.ts';
import { VisibleText } from '../visible-text.tsx';
import './question-form.css';

/** The fields of a question; a question without a schema has one, for text. */
export function fieldsOf(request: Request): readonly Field[] {
  const fields = request.form_json === null ? undefined : readForm(request.form_json);
  if (fields !== undefined) return fields;
  return [
    request.form_json === null ? FREE : { ...FREE, kind: 'json', title: FORM_TEXT.answerAsJson },
  ];
}

const FREE: Field = {
  group: undefined,
  key: undefined,
  kind: 'string',
  title: FORM_TEXT.answer,
  description: '',
  isRequired: true,
  format: 'multiline',
  choices: [],
  least: undefined,
  most: undefined,
  unchecked: [],
  initial: [''],
};

interface QuestionFormProps {
  readonly fields: readonly Field[];
  readonly values: FormValues;
  /** Whether missing values count as mistakes, too. */
  readonly isStrict: boolean;
  readonly onChange: (values: FormValues) => void;
}

export function QuestionForm({ fields, values, isStrict, onChange }: QuestionFormProps) {
  const mistakes = mistakesIn(fields, values);
  const row = (field: Field, at: number) => {
    const typed = values[at] ?? field.initial;
    const isEmpty = typed.every((text) => text === '');
    return (
      <FieldRow
        key={`${field.group?.key} ${field.key}`}
        field={field}
        typed={typed}
        mistake={isEmpty && !isStrict ? undefined : mistakes[at]}
        onChange={(changed) => onChange(values.map((old, index) => (index === at ? changed : old)))}
      />
    );
  };
  return (
    <div className="ins-form">
      {fields.some(({ isRequired, key }) => isRequired && key !== undefined) && (
        <p className="ins-form__about">{FORM_TEXT.requiredNote}</p>
      )}
      {fields.map((field, at) => {
        const { group } = field;
        if (group === undefined) return row(field, at);
        if (fields[at - 1]?.group === group) return null;
        return (
          <fieldset key={group.key} className="ins-form__group">
            <legend className="ins-form__label">
              <VisibleText text={group.title.slice(0, 200)} />
              {group.isRequired && <RequiredMark />}
            </legend>
            {group.description !== '' && (
              <p className="ins-form__about">
                <VisibleText text={group.description.slice(0, 2000)} />
              </p>
            )}
            {fields.map((inner, index) => (inner.group === group ? row(inner, index) : null))}
            {group.unchecked.length > 0 && <Unchecked id={undefined} rules={group.unchecked} />}
          </fieldset>
        );
      })}
    </div>
  );
}

function RequiredMark() {
  return (
    <span className="ins-form__required" aria-hidden="true" title={FORM_TEXT.required}>
      {' *'}
    </span>
  );
}

/** Focus the first field of the card's form that has a mistake. */
export function focusMistake(form: Element | null): void {
  form?.querySelector<HTMLElement>('[data-mistake] :is(input, select, textarea)')?.focus();
}

interface FieldProps {
  readonly field: Field;
  readonly typed: readonly string[];
  readonly onChange: (typed: readonly string[]) => void;
}

interface FieldRowProps extends FieldProps {
  readonly mistake: string | undefined;
}

function FieldRow({ field, typed, mistake, onChange }: FieldRowProps) {
  const id = useId();
  const isGroup = field.kind === 'choices';
  const Frame = isGroup ? 'fieldset' : 'div';
  return (
    <Frame className="ins-form__field" data-mistake={mistake !== undefined || undefined}>
      <Label id={isGroup ? undefined : id}>
        <VisibleText text={field.title.slice(0, 200)} />
        {field.kind === 'json' && <span className="ins-form__optional"> JSON</span>}
        {field.isRequired && field.key !== undefined && <RequiredMark />}
      </Label>
      {field.description !== '' && (
        <p id={`${id}-about`} className="ins-form__about">
          <VisibleText text={field.description.slice(0, 2000)} />
        </p>
      )}
      <Input
        id={id}
        field={field}
        typed={typed}
        onChange={onChange}
        isWrong={mistake !== undefined}
      />
      {field.unchecked.length > 0 && <Unchecked id={`${id}-rules`} rules={field.unchecked} />}
      {mistake !== undefined && (
        <p id={`${id}-mistake`} className="ins-form__mistake">
          {mistake}
        </p>
      )}
    </Frame>
  );
}

interface UncheckedProps {
  readonly id: string | undefined;
  readonly rules: readonly Rule[];
}

/** Keywords of the schema that are not checked, as they are written. */
function Unchecked({ id, rules }: UncheckedProps) {
  return (
    <p id={id} className="ins-form__about">
      {FORM_TEXT.unchecked}{' '}
      {rules.map(({ keyword, json }, at) => (
        <span key={keyword}>
          {at > 0 && ', '}
          <VisibleText text={keyword.slice(0, 80)} />{' '}
          <code dir="ltr">
            <VisibleText text={json.slice(0, 300)} />
            {json.length > 300 && '…'}
          </code>
        </span>
      ))}
    </p>
  );
}

/** `id`: that of the field; undefined for a group. */
function Label({
  id,
  children,
}: {
  readonly id: string | undefined;
  readonly children: ReactNode;
}) {
  if (id === undefined) return <legend className="ins-form__label">{children}</legend>;
  return (
    <label htmlFor={id} className="ins-form__label">
      {children}
    </label>
  );
}

const INPUT_TYPES: Readonly<Record<string, string>> = { date: 'date', email: 'email', uri: 'url' };

function Input({
  id,
  field,
  typed,
  isWrong,
  onChange,
}: FieldProps & { readonly id: string; readonly isWrong: boolean }) {
  const text = typed[0] ?? '';
  const common = {
    id,
    'aria-invalid': isWrong,
    'aria-required': field.isRequired,
    'aria-describedby': `${id}-about ${id}-rules ${id}-mistake`,
    autoComplete: 'off',
  } as const;
  switch (field.kind) {
    case 'boolean':
      return (
        <select {...common} value={text} onChange={(event) => onChange([event.target.value])}>
          <option value="">{FORM_TEXT.choose}</option>
          <option value="true">{FORM_TEXT.yes}</option>
          <option value="false">{FORM_TEXT.no}</option>
        </select>
      );
    case 'choice':
      return (
        <select {...common} value={text} onChange={(event) => onChange([event.target.value])}>
          <option value="">{FORM_TEXT.choose}</option>
          {field.choices.map(({ json, label }) => (
            <option key={json} value={json}>
              {plainLine(label, 200)}
            </option>
          ))}
        </select>
      );
    case 'choices':
      return <Checkboxes id={id} field={field} typed={typed} onChange={onChange} />;
    case 'json':
      return (
        <textarea
          {...common}
          className="ins-form__data"
          rows={4}
          dir="ltr"
          spellCheck={false}
          value={text}
          onChange={(event) => onChange([event.target.value])}
        />
      );
    case 'integer':
    case 'number':
      // Not type=number: that one rounds and drops what it cannot read.
      return (
        <input
          {...common}
          className="ins-form__number"
          inputMode={inputModeOf(field)}
          value={text}
          onChange={(event) => onChange([event.target.value])}
        />
      );
    case 'string':
      return isLong(field) ? (
        <textarea
          {...common}
          rows={3}
          value={text}
          onChange={(event) => onChange([event.target.value])}
        />
      ) : (
        <input
          {...common}
          type={
            (Object.hasOwn(INPUT_TYPES, field.format ?? '') && INPUT_TYPES[field.format ?? '']) ||
            'text'
          }
          inputMode={inputModeOf(field)}
          value={text}
          onChange={(event) => onChange([event.target.value])}
        />
      );
  }
}

function isLong({ format, most, key }: Field): boolean {
  return format === 'multiline' || (key !== undefined && most !== undefined && Number(most) > 200);
}

function Checkboxes({ id, field, typed, onChange }: FieldProps & { readonly id: string }) {
  return (
    <div className="ins-form__checks">
      {field.choices.map(({ json, label }, at) => (
        <label key={json} htmlFor={`${id}-${at}`}>
          <input
            id={`${id}-${at}`}
            type="checkbox"
            checked={typed.includes(json)}
            onChange={(event) => {
              const chosen = new Set(typed);
              if (event.target.checked) chosen.add(json);
              else chosen.delete(json);
              // In the order of the schema, whatever order they were ticked in.
              onChange(field.choices.map((choice) => choice.json).filter((one) => chosen.has(one)));
            }}
          />
          <VisibleText text={label.slice(0, 200)} />
        </label>
      ))}
    </div>
  );
}
