/** Captured value: a JSON tree or text, with a note where it was truncated. */

import type { Payload } from '../../../api/types.ts';
import { VALUE_TEXT } from '../../../texts.ts';
import { LongValue } from './long-value.tsx';
import { useCut } from './shown-span.ts';
import { ValueView } from './value-view.tsx';
import './payload.css';

interface PayloadViewProps {
  readonly payload: Payload;
  /** Name of the value, for buttons: "the arguments". */
  readonly what: string;
}

export function PayloadView({ payload, what }: PayloadViewProps) {
  const cut = useCut(payload);
  const form = payload.is_json ? 'json' : 'text';
  return (
    <div className="ins-payload">
      {payload.is_truncated && <CutShort payload={payload} size_bytes={cut?.size_bytes} />}
      {cut === undefined ? (
        <ValueView text={payload.text} form={form} what={what} />
      ) : (
        <LongValue key={cut.size_bytes} cut={cut} beginning={payload.text} what={what}>
          {(text) => <ValueView text={text} form={form} what={what} />}
        </LongValue>
      )}
    </div>
  );
}

interface CutShortProps {
  readonly payload: Payload;
  /** Full size of a truncated value. */
  readonly size_bytes: number | undefined;
}

function CutShort({ payload, size_bytes }: CutShortProps) {
  const sent = size_bytes ?? new TextEncoder().encode(payload.text).length;
  const whole = payload.original_bytes;
  return <p className="ins-payload__cut">{VALUE_TEXT.truncated(sent, whole ?? undefined)}</p>;
}
