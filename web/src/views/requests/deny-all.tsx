/**
 * Denial of all that a session waits for: asked for twice, armed as other answers are, and each
 * request gets an answer of its own.
 */
import { type KeyboardEvent, useState } from 'react';
import type { Request } from '../../api/types.ts';
import { deniedCount, denyCount, INBOX_TEXT, REQUEST_TEXT } from '../../texts.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { ArmedButton } from '../parts/requests/armed-button.tsx';

/** Answers under way at a time: the service waits for the agent to take each. */
const AT_ONCE = 6;

export function DenyAll({ sessionId }: { readonly sessionId: string }) {
  const { requests } = useInspector();
  const ids = useRow(requests.ofSession, sessionId) ?? [];
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const [outcome, setOutcome] = useState<string>();
  const close = () => setOpen(false);
  const deny = async (of: readonly string[]) => {
    close();
    const left = [...of];
    let denied = 0;
    const next = async (): Promise<void> => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        const request = requests.rows.get(id);
        if (request === undefined) continue;
        if (await requests.answer(id, denialOf(request, reason.trim()))) denied += 1;
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
          type="button"
          className="ins-answer ins-answer--plain ins-answer--armed"
          onClick={() => setOpen(true)}
        >
          {INBOX_TEXT.denyAll}
        </button>
      )}
      {isOpen && ids.length > 0 && (
        <div
          className="ins-request__answers"
          role="group"
          aria-label={INBOX_TEXT.denyAll}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            event.stopPropagation();
            close();
          }}
        >
          <label className="ins-request__reason">
            <span>{REQUEST_TEXT.reason}</span>
            <input
              // biome-ignore lint/a11y/noAutofocus: the reader has just asked for this field
              autoFocus
              maxLength={4000}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
          <ArmedButton of={ids} look="danger" onPress={() => void deny(ids)}>
            {denyCount(ids.length)}
          </ArmedButton>
          <button
            type="button"
            className="ins-answer ins-answer--plain ins-answer--armed"
            onClick={close}
          >
            {REQUEST_TEXT.back}
          </button>
        </div>
      )}
    </div>
  );
}

/** A question is declined: nothing is there to deny. */
function denialOf({ kind, args_hash }: Request, reason: string) {
  return {
    decision: kind === 'question' ? ('decline' as const) : ('deny' as const),
    ...(args_hash === null ? {} : { args_hash }),
    ...(reason === '' ? {} : { reason }),
  };
}
