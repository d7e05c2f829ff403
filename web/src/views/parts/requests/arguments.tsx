/** Arguments of a request: in full, and edited in place as text. */
import { useCallback, useMemo, useState } from 'react';
import type { Request } from '../../../api/types.ts';
import { formatJson, placeOf } from '../../../model/json/json-format.ts';
import {
  canEditArguments,
  isPending,
  notEditable,
  type Unseen,
} from '../../../model/requests/request.ts';
import { codePointName, describeHidden } from '../../../model/text/hidden-characters.ts';
import { StandIns } from '../../../model/text/stand-ins.ts';
import type { Draft } from '../../../state/drafts.ts';
import { andMore, PARTS_TEXT, REQUEST_TEXT } from '../../../texts.ts';
import { useInspector } from '../context.ts';
import { ArgumentDiff } from './argument-diff.tsx';
import { ArgumentEditor } from './argument-editor.tsx';
import { DataFrame } from './data-frame.tsx';
import type { EditCheck, LineMark } from './edit-check.ts';
import { useToolSchema } from './tool-schema.ts';

/** The arguments as shown and edited: formatted, with every token unchanged. */
export function shownArguments(request: Request): string {
  if (request.args_json === null) return request.args_text ?? '';
  const formatted = formatJson(request.args_json);
  return formatted.isJson ? formatted.text : request.args_json;
}

interface ArgumentsProps {
  readonly request: Request;
  readonly draft: Draft;
  /** `shownArguments` of the request. */
  readonly shown: string;
  readonly check: EditCheck | undefined;
  readonly unseen: Unseen;
}

export function Arguments({ request, draft, shown, check, unseen }: ArgumentsProps) {
  const { drafts } = useInspector();
  const refusal = notEditable(request);
  if (request.args_json === null && request.args_text === null) {
    return refusal === undefined || request.args_hash === null ? null : (
      <p className="ins-request__note">{refusal}</p>
    );
  }
  const canEdit = canEditArguments(request);
  return (
    <section className="ins-request__arguments" aria-label={REQUEST_TEXT.argumentsTitle}>
      <header>
        <h3>{REQUEST_TEXT.argumentsTitle}</h3>
        {canEdit && (
          // One button, so that it keeps the focus.
          <button
            type="button"
            className="ins-link"
            onClick={() => {
              if (draft.isEditing) {
                drafts.change(request.id, { isEditing: false, args: undefined });
              } else {
                // The editor holds all of it.
                drafts.see(request.id, shown);
                drafts.change(request.id, { isEditing: true });
              }
            }}
          >
            {!draft.isEditing
              ? REQUEST_TEXT.editArguments
              : draft.args === undefined
                ? REQUEST_TEXT.stopEditing
                : REQUEST_TEXT.undoAll}
          </button>
        )}
      </header>
      {canEdit && draft.isEditing ? (
        <Editing request={request} draft={draft} shown={shown} check={check} />
      ) : (
        <DataFrame
          text={shown}
          what={PARTS_TEXT.arguments}
          isOpen={draft.seen.includes(shown)}
          onOpen={() => drafts.see(request.id, shown)}
          isTarget={unseen === PARTS_TEXT.arguments}
        />
      )}
      {refusal !== undefined && isPending(request) && request.kind !== 'question' && (
        <p className="ins-request__note">{refusal}</p>
      )}
    </section>
  );
}

function Editing({ request, draft, shown, check }: Omit<ArgumentsProps, 'unseen'>) {
  const { drafts } = useInspector();
  const [initial] = useState(draft.args ?? shown);
  const [signs] = useState(() => new StandIns(initial));
  const [goTo, setGoTo] = useState<{ at: number } | undefined>(undefined);
  const change = useCallback(
    (edited: string) => {
      const text = signs.decode(edited);
      drafts.change(request.id, { args: text === shown ? undefined : text });
    },
    [drafts, request.id, shown, signs],
  );
  const select = (at: number) =>
    setGoTo({ at: signs.encode((check?.of ?? shown).slice(0, at)).length });
  const marks = useMemo(() => marksOf(check), [check]);
  const original = useMemo(() => signs.encode(shown), [signs, shown]);
  const schema = useToolSchema(request);
  return (
    <>
      <ArgumentEditor
        initial={signs.encode(initial)}
        original={original}
        schema={schema}
        marks={marks}
        onChange={change}
        onLeave={() => leaveEditor(request.id)}
        goTo={goTo}
        changes={
          check !== undefined && check.diff.editCount > 0 && <ArgumentDiff diff={check.diff} />
        }
      />
      <p className="ins-request__verdict" role="status">
        <Verdict draft={draft} check={check} onGoTo={select} />
      </p>
      {signs.list.length > 0 && <Legend signs={signs} />}
      {check !== undefined && <Typed check={check} signs={signs} onGoTo={select} />}
    </>
  );
}

const SHOWN_SIGNS = 12;

/** Legend of the signs in the editor. */
function Legend({ signs }: { readonly signs: StandIns }) {
  return (
    <p className="ins-request__hidden">
      {REQUEST_TEXT.signs}
      {signs.list.slice(0, SHOWN_SIGNS).map(({ sign, code }) => (
        <span key={code}>
          <strong>{sign}</strong> {codePointName(code)} {describeHidden(code)}
        </span>
      ))}
      {signs.list.length > SHOWN_SIGNS && <span>{andMore(signs.list.length - SHOWN_SIGNS)}</span>}
    </p>
  );
}

interface TypedProps {
  readonly check: EditCheck;
  readonly signs: StandIns;
  readonly onGoTo: (at: number) => void;
}

/** Hidden characters that were typed or pasted while editing, and have no sign. */
function Typed({ check, signs, onGoTo }: TypedProps) {
  const known = new Set(signs.list.map(({ code }) => code));
  const typed = check.hidden.filter(({ code }) => !known.has(code));
  if (typed.length === 0) return null;
  return (
    <p className="ins-request__hidden">
      {REQUEST_TEXT.newSigns}
      {typed.slice(0, SHOWN_SIGNS).map(({ at, code }) => {
        const { line, column } = placeOf(check.of, at);
        return (
          <button
            key={at}
            type="button"
            className="ins-link"
            title={describeHidden(code)}
            onClick={() => onGoTo(at)}
          >
            {codePointName(code)} {REQUEST_TEXT.inPlace(line, column)}
          </button>
        );
      })}
    </p>
  );
}

/** Move the focus out of the text area, to the next element. */
function leaveEditor(id: string): void {
  const card = document.activeElement?.closest<HTMLElement>(`[data-request="${CSS.escape(id)}"]`);
  card?.focus({ preventScroll: true });
}

interface VerdictProps {
  readonly draft: Draft;
  readonly check: EditCheck | undefined;
  readonly onGoTo: (at: number) => void;
}

function Verdict({ draft, check, onGoTo }: VerdictProps) {
  if (draft.args === undefined) return REQUEST_TEXT.noEdits;
  if (check === undefined) return REQUEST_TEXT.checking;
  const { formatted, diff } = check;
  if (formatted.isJson && formatted.twice === undefined) {
    return diff.editCount === 0 ? REQUEST_TEXT.onlySpace : REQUEST_TEXT.isJson(check.of.length);
  }
  const at = formatted.isJson ? (formatted.twice ?? 0) : formatted.at;
  const { line, column } = placeOf(check.of, at);
  return (
    <span className="ins-request__mistake">
      {formatted.isJson ? REQUEST_TEXT.ambiguous : REQUEST_TEXT.notJson}{' '}
      <button type="button" className="ins-link" onClick={() => onGoTo(at)}>
        {REQUEST_TEXT.place(line, column)}
      </button>
      : {formatted.isJson ? REQUEST_TEXT.duplicateKey : formatted.what}.
    </span>
  );
}

function marksOf(check: EditCheck | undefined): LineMark[] {
  if (check === undefined) return [];
  const marks: LineMark[] = check.hidden.map(({ at }) => ({
    line: placeOf(check.of, at).line,
    kind: 'hidden',
  }));
  const { formatted } = check;
  const at = formatted.isJson ? formatted.twice : formatted.at;
  if (at !== undefined) marks.push({ line: placeOf(check.of, at).line, kind: 'mistake' });
  return marks;
}
