/**
 * Denial of all that a session waits for: asked for twice, armed as other answers are, and each
 * request gets an answer of its own.
 */
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Request } from '../../api/types.ts';
import { NO_DRAFT } from '../../state/drafts.ts';
import { deniedCount, denyCount, INBOX_TEXT } from '../../texts.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { focusBack } from '../parts/focus-back.ts';
import { DenialForm } from '../parts/requests/denial-form.tsx';

/** Answers under way at a time: the service waits for the agent to take each. */
const AT_ONCE = 6;

export function DenyAll({ request: { id, session_id } }: { readonly request: Request }) {
  const { requests, drafts } = useInspector();
  const ids = useRow(requests.ofSession, session_id) ?? [];
  const { denying, reason } = useRow(drafts, id) ?? NO_DRAFT;
  const isOpen = denying === 'all';
  const [outcome, setOutcome] = useState<string>();
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => flushSync(() => drafts.change(id, { denying: undefined }));
  const deny = async (of: readonly string[], why: { readonly reason?: string }) => {
    close();
    focusBack(undefined);
    const left = [...of];
    let denied = 0;
    const next = async (): Promise<void> => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) {
        const request = requests.rows.get(one);
        if (request === undefined) continue;
        if (await requests.answer(one, { ...denialOf(request), ...why })) {
          denied += 1;
          drafts.close(one, undefined);
        }
        setOutcome(deniedCount(denied, of.length));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  };
  return (
    <div className="ins-inbox__deny-all">
      {outcome !== undefined && <p role="status">{outcome}</p>}
      {!isOpen && ids.length > 1 && (
        <button
          ref={opener}
          type="button"
          className="ins-answer ins-answer--plain ins-answer--armed"
          onClick={() => drafts.change(id, { denying: 'all' })}
        >
          {INBOX_TEXT.denyAll}
        </button>
      )}
      {isOpen && ids.length > 0 && (
        <DenialForm
          of={ids}
          name={INBOX_TEXT.denyAll}
          label={denyCount(ids.length)}
          reason={reason}
          onReason={(text) => drafts.change(id, { reason: text })}
          onDeny={(why) => void deny(ids, why)}
          onBack={() => {
            close();
            focusBack(opener.current);
          }}
        />
      )}
    </div>
  );
}

/** A question is declined: nothing is there to deny. */
function denialOf({ kind, args_hash }: Request) {
  return {
    decision: kind === 'question' ? ('decline' as const) : ('deny' as const),
    ...(args_hash === null ? {} : { args_hash }),
  };
}
