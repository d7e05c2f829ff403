/** A captured value: a JSON tree, or its text; what was cut off is said. */
import { useMemo, useState } from 'react';
import type { Payload } from '../../api/types.ts';
import { formatBytes } from '../../model/format.ts';
import { indexJson } from '../../model/json-text.ts';
import { ClampedText } from './clamped-text.tsx';
import { JsonTree } from './json-tree.tsx';
import './payload.css';

interface PayloadViewProps {
  readonly payload: Payload;
  /** What it is, for the names of buttons: "the arguments". */
  readonly what: string;
}

export function PayloadView({ payload, what }: PayloadViewProps) {
  const [isRaw, setRaw] = useState(false);
  const index = useMemo(
    () => (payload.is_json ? indexJson(payload.text) : undefined),
    [payload.is_json, payload.text],
  );
  return (
    <div className="ins-payload">
      {payload.is_truncated && <Cut payload={payload} />}
      {index === undefined || isRaw ? (
        <ClampedText text={payload.text} isData />
      ) : (
        <JsonTree index={index} root={0} what={what} />
      )}
      {index?.isContainer(0) && (
        <button type="button" className="ins-payload__mode" onClick={() => setRaw(!isRaw)}>
          {isRaw ? 'as a tree' : 'as it was sent'}
        </button>
      )}
    </div>
  );
}

function Cut({ payload }: { readonly payload: Payload }) {
  const shown = new TextEncoder().encode(payload.text).length;
  const whole = payload.original_bytes;
  return (
    <p className="ins-payload__cut">
      Cut short by the sender: {formatBytes(shown)}
      {whole == null ? ' are here.' : ` of ${formatBytes(whole)} are here.`}
    </p>
  );
}
