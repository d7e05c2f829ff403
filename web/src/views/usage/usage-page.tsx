/** `/ui/usage`: what the sessions of a filter used, by user, tag, model or day. */

import { useMemo, useRef, useState } from 'react';
import type { UsageKey } from '../../api/types.ts';
import { parseTimeRange } from '../../model/sessions/time-range.ts';
import {
  isUnnamed,
  parseUsageKey,
  remarksOn,
  USAGE_KEYS,
} from '../../model/sessions/usage-groups.ts';
import { plural } from '../../model/text/format.ts';
import { filteredPath } from '../../state/route.ts';
import {
  EMPTY_TEXT,
  INBOX_TEXT,
  PAGE_NAMES,
  SESSION_LIST_TEXT,
  USAGE_TEXT,
  withKey,
} from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector, useRoute, useSize, useTitle } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { LoadingRows } from '../parts/loading-rows.tsx';
import { QueryField, queryProblem } from '../parts/query-field.tsx';
import { TimeChoice } from '../parts/time-choice.tsx';
import { UnsearchedLine } from '../parts/unsearched.tsx';
import { UsageTable } from './usage-table.tsx';
import { useUsage } from './use-usage.ts';
import '../parts/statistics/statistics.css';
import '../parts/view-tools.css';
import './usage-page.css';

const LENGTHS = [52, 64, 44, 58, 38];
const NARROW_PX = 720;

export function UsagePage() {
  const { router } = useInspector();
  const address = useRoute().query;
  const query = (address.get('q') ?? '').trim();
  const time = address.get('time');
  const range = useMemo(() => parseTimeRange(time), [time]);
  const by = parseUsageKey(address.get('by'));
  const { found, isCurrent, state } = useUsage(by, query, range);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const { width_px } = useSize(scroller);
  const field = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => [{ name: USAGE_TEXT.filter, keys: ['/'], run: () => field.current?.focus() }],
    [],
  );
  useActions(USAGE_TEXT.usage, actions);
  useTitle(USAGE_TEXT.usageBy(by));
  const problem = queryProblem(query, state);
  const groups = found?.usage.groups ?? [];
  return (
    <main className="ins-used">
      <h1 className="ins-hidden">{PAGE_NAMES.usage}</h1>
      <div className="ins-used__tools">
        <QueryField
          ref={field}
          value={address.get('q') ?? ''}
          problem={problem}
          onChange={(q) => router.adjust({ q })}
        />
        <span className="ins-used__count" role="status">
          {problem === undefined && !isCurrent && state.kind === 'loading' && INBOX_TEXT.loading}
          {found !== undefined && isCurrent && (
            <Link
              className="ins-link"
              to={filteredPath('sessions', { q: query, time: time ?? undefined })}
              title={USAGE_TEXT.showSessions}
            >
              {plural(found.usage.total.session_count, 'session')}
            </Link>
          )}
        </span>
        <span className="ins-used__gap" />
        <KeyChoice by={by} />
        <TimeChoice range={range} />
      </div>
      {state.kind === 'failed' && problem === undefined && (
        <p className="ins-used__problem" role="alert">
          {state.message}
        </p>
      )}
      <UnsearchedLine parts={found?.usage.partial ?? []} />
      {found !== undefined && (
        <p className="ins-used__remarks">{remarksOn(found.usage, found.question.by).join(' ')}</p>
      )}
      <div
        ref={setScroller}
        className={`ins-used__scroller${isCurrent ? '' : ' ins-used__scroller--stale'}`}
        aria-busy={!isCurrent}
      >
        {found === undefined && state.kind === 'loading' && <LoadingRows lengths={LENGTHS} />}
        {found !== undefined && groups.length > 0 && (
          <UsageTable {...found} isNarrow={width_px > 0 && width_px < NARROW_PX} />
        )}
        {found !== undefined && isUnnamed(groups) && <HowToName by={found.question.by} />}
        {isCurrent && groups.length === 0 && (
          <NoSession isFiltered={query !== '' || time !== null} />
        )}
      </div>
    </main>
  );
}

function KeyChoice({ by }: { readonly by: UsageKey }) {
  const { router } = useInspector();
  const actions = useMemo(
    () =>
      USAGE_KEYS.map((key, at) => ({
        name: USAGE_TEXT.usageBy(key),
        keys: [String(at + 1)],
        run: () => router.adjust({ by: key }),
      })),
    [router],
  );
  useActions(USAGE_TEXT.usage, actions);
  return (
    <div className="ins-used__keys" role="group" aria-label={USAGE_TEXT.groupBy}>
      <span aria-hidden="true">{USAGE_TEXT.by}</span>
      {USAGE_KEYS.map((key, at) => (
        <button
          key={key}
          type="button"
          className="ins-tools__toggle"
          aria-pressed={key === by}
          title={withKey(`${USAGE_TEXT.groupBy} ${key}`, String(at + 1))}
          onClick={() => router.adjust({ by: key })}
        >
          {key}
        </button>
      ))}
    </div>
  );
}

const NAMED_BY: Readonly<Partial<Record<UsageKey, string>>> = {
  user: 'with inspector.session("chat-42", user="ada"):',
  tag: 'with inspector.session("chat-42", tags=["support"]):',
};

/** How an agent names what none of the sessions names. */
function HowToName({ by }: { readonly by: UsageKey }) {
  const code = NAMED_BY[by];
  if (code === undefined) return null;
  return (
    <p className="ins-used__none">
      {USAGE_TEXT.noneHas(by)} <code>{code}</code>
    </p>
  );
}

function NoSession({ isFiltered }: { readonly isFiltered: boolean }) {
  const { router } = useInspector();
  return (
    <p className="ins-used__none">
      {isFiltered ? `${SESSION_LIST_TEXT.none} ` : `${EMPTY_TEXT.sessions}. `}
      {isFiltered ? (
        <button
          type="button"
          className="ins-link"
          onClick={() => router.adjust({ q: undefined, time: undefined })}
        >
          {USAGE_TEXT.clearFilter}
        </button>
      ) : (
        <Link className="ins-link" to="">
          {USAGE_TEXT.howToSend}
        </Link>
      )}
    </p>
  );
}
