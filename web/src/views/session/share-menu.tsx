/** Menu to share a session: link, summary, files, comparison, picture. */
import { useEffect, useMemo, useState } from 'react';
import type { Session } from '../../api/types.ts';
import { type OutlineRow, summaryOf } from '../../model/sessions/session-summary.ts';
import { AS_AT_FIRST } from '../../model/trace/span-forest.ts';
import { parentKey, spanKey } from '../../model/trace/span-key.ts';
import { endOffset } from '../../model/trace/span-status.ts';
import { OF_SESSION } from '../../state/actions.ts';
import type { Inspector } from '../../state/inspector.ts';
import { comparePath } from '../../state/route.ts';
import type { Trace } from '../../state/trace.ts';
import { COMPARE_LINK_TEXT, SAVED_TEXT, SESSION_VERB_TEXT, SHARE_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector, useRoute } from '../parts/context.ts';
import { copyText } from '../parts/copy-button.tsx';
import { ActionIcon } from '../parts/icons.tsx';
import { MenuButton } from '../parts/popups/popup-button.tsx';
import './share-menu.css';

interface ShareMenuProps {
  readonly trace: Trace;
  readonly session: Session;
}

/** Least time that a notice stays, and the time to read a character of a long one. */
const NOTICE_MS = 4000;
const CHARACTER_MS = 70;
const MOST_CAUSES = 5;

export function ShareMenu({ trace, session }: ShareMenuProps) {
  const inspector = useInspector();
  const { api, router, saved } = inspector;
  const [notice, setNotice] = useState('');
  useEffect(() => {
    if (notice === '' || notice === SAVED_TEXT.saving) return;
    const timer = setTimeout(
      () => setNotice(''),
      Math.max(NOTICE_MS, notice.length * CHARACTER_MS),
    );
    return () => clearTimeout(timer);
  }, [notice]);
  usePlain();
  const actions = useMemo(() => {
    const copy = async (what: string, text: string | Promise<string>) => {
      try {
        await copyText(await text);
        setNotice(SHARE_TEXT.copied(what));
      } catch {
        setNotice(SHARE_TEXT.cannotCopy);
      }
    };
    const save = async () => {
      setNotice(SAVED_TEXT.saving);
      try {
        const url = URL.createObjectURL(await api.savedPage(trace.sessionId));
        download(url, `${fileName(trace.sessionId)}.html`);
        setTimeout(() => URL.revokeObjectURL(url));
        setNotice('');
      } catch (error) {
        setNotice(error instanceof Error ? error.message : String(error));
      }
    };
    const summary = {
      name: SHARE_TEXT.copySummary,
      run: () => void copy(SHARE_TEXT.summary, markdownOf(inspector, trace, session)),
    };
    const screenshot = {
      name: SESSION_VERB_TEXT.screenshot,
      run: () => router.adjust({ plain: '1' }),
    };
    if (saved !== undefined) return [summary, screenshot];
    const { sessionId } = trace;
    return [
      {
        name: SHARE_TEXT.copyLink,
        run: () => void copy(SHARE_TEXT.link, window.location.href),
      },
      summary,
      {
        name: SAVED_TEXT.save,
        run: () => void save(),
      },
      {
        name: SHARE_TEXT.exportFile,
        run: () => download(api.exportUrl(sessionId), `${fileName(sessionId)}.otlp.jsonl.gz`),
      },
      {
        name: COMPARE_LINK_TEXT.compareWith,
        run: () => router.push(comparePath({ left: sessionId })),
      },
      screenshot,
    ];
  }, [inspector, api, router, saved, trace, session]);
  useActions(OF_SESSION, actions);
  return (
    <>
      <MenuButton
        name={SESSION_VERB_TEXT.share}
        icon={<ActionIcon name="share" />}
        items={actions}
      />
      <span className="ins-share__said" role="status">
        {notice}
      </span>
    </>
  );
}

/** `?plain`: the session without the rest of the page, for a picture. */
function usePlain(): void {
  const isPlain = useRoute().query.has('plain');
  useEffect(() => {
    document.documentElement.toggleAttribute('data-plain', isPlain);
    return () => document.documentElement.removeAttribute('data-plain');
  }, [isPlain]);
}

function download(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}

function fileName(id: string): string {
  return id.replace(/[^\w.-]+/g, '_').slice(0, 80);
}

async function markdownOf({ details }: Inspector, trace: Trace, session: Session): Promise<string> {
  const errors = [...trace.tally.errors.values()];
  const parents = new Set(errors.map(parentKey));
  const first = errors
    .filter((span) => !parents.has(spanKey(span)))
    .sort((a, b) => endOffset(a, 0) - endOffset(b, 0))
    .slice(0, MOST_CAUSES);
  const { signal } = new AbortController();
  const causes = await Promise.all(
    first.map(async (span) => {
      const text = await details.load(trace.sessionId, span, signal).then(
        ({ detail }) => detail.view.error?.message || detail.status_message || '',
        () => '',
      );
      return { span, text };
    }),
  );
  return summaryOf({
    session,
    link: window.location.href,
    causes,
    errorCount: errors.length,
    outline: outlineOf(trace),
  });
}

function* outlineOf({ forest, spans }: Trace): Generator<OutlineRow> {
  const rows = forest.arrange(AS_AT_FIRST);
  for (let row = 0; row < rows.count; row += 1) {
    const span = spans.get(forest.keyOf(rows.spanIndex[row] ?? -1) ?? '');
    if (span !== undefined) yield { depth: rows.depth[row] ?? 0, span };
  }
}
