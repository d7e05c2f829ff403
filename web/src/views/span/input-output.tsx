/** What went into a span and what came out of it: arguments and result, or messages. */
import { useMemo } from 'react';
import type { Message, Payload, SpanDetail, SpanRow } from '../../api/types.ts';
import { Cuts } from '../../model/trace/cuts.ts';
import type { Totals } from '../../model/trace/totals.ts';
import { lastExchange } from '../../model/transcript/conversation.ts';
import type { Trace } from '../../state/trace.ts';
import { SPAN_TEXT, the } from '../../texts.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { StatusIcon } from '../parts/icons.tsx';
import { PayloadView } from '../parts/values/payload.tsx';
import { ShownSpanContext, useShownSpan } from '../parts/values/shown-span.ts';
import { Conversation } from './conversation.tsx';
import { useSpanLoad } from './span-load.ts';
import { WithSchema } from './tool-schema.tsx';

interface InputOutputProps {
  readonly row: SpanRow;
  readonly detail: SpanDetail;
  readonly trace: Trace;
  /** Of an agent or a workflow, with its LLM calls. */
  readonly totals: Totals | undefined;
}

/** Whether a span has content that `InputOutput` shows. */
export function hasInputOutput({ view: { tool, mcp, messages } }: SpanDetail): boolean {
  return tool !== null || mcp !== null || messages.length > 0;
}

export function InputOutput({ row, detail, trace, totals }: InputOutputProps) {
  const { tool, mcp } = detail.view;
  const pending = row.status === 'running' ? SPAN_TEXT.notAnswered : SPAN_TEXT.notCaptured;
  return (
    <>
      {tool !== null && (
        <>
          <WithSchema tool={tool} definition={detail.tool_definition ?? null}>
            <Value title={SPAN_TEXT.input} payload={tool.arguments} none={SPAN_TEXT.notCaptured} />
          </WithSchema>
          {(tool.result !== null || row.status !== 'error') && (
            <Value
              title={SPAN_TEXT.output}
              payload={tool.result}
              none={pending}
              isError={tool.is_error}
            />
          )}
        </>
      )}
      {mcp !== null && (mcp.request !== null || mcp.response !== null || tool === null) && (
        <>
          <Value
            title={SPAN_TEXT.request(mcp.method)}
            payload={mcp.request}
            none={SPAN_TEXT.notCaptured}
          />
          <Value title={SPAN_TEXT.response} payload={mcp.response} none={pending} />
        </>
      )}
      {tool === null && mcp === null && <Talk {...{ row, detail, trace, totals, pending }} />}
    </>
  );
}

interface TalkProps extends InputOutputProps {
  readonly pending: string;
}

/** Task and answer of an agent, by its first and last LLM call if it tells neither. */
function Talk({ row, detail: { view }, trace, totals, pending }: TalkProps) {
  const { router } = useInspector();
  const { messages } = view;
  const isAgent = totals !== undefined;
  const { input, output, earlier } = useMemo(
    () => lastExchange(messages, isAgent),
    [messages, isAgent],
  );
  const [first, last] = [totals?.firstCall, totals?.lastCall];
  return (
    <>
      {input.length > 0 ? (
        <Messages title={isAgent ? SPAN_TEXT.task : SPAN_TEXT.input} messages={input} isBrief>
          {earlier > 0 && (
            <button
              type="button"
              className="ins-link"
              onClick={() => router.adjust({ tab: 'messages' })}
            >
              {SPAN_TEXT.earlier(earlier)}
            </button>
          )}
        </Messages>
      ) : (
        first !== undefined && <OfCall trace={trace} of={first} title={SPAN_TEXT.task} />
      )}
      {output.length === 0 && last !== undefined
        ? row.status !== 'running' && <OfCall trace={trace} of={last} title={SPAN_TEXT.answer} />
        : messages.length > 0 &&
          // A failed call has no answer, and its error says why.
          (output.length > 0 || row.status !== 'error') && (
            <Messages
              title={isAgent ? SPAN_TEXT.answer : SPAN_TEXT.output}
              messages={output}
              none={pending}
            />
          )}
    </>
  );
}

interface MessagesProps {
  readonly title: string;
  readonly messages: readonly Message[];
  readonly none?: string;
  readonly isBrief?: boolean;
  readonly children?: React.ReactNode;
}

function Messages({ title, messages, none, isBrief, children }: MessagesProps) {
  return (
    <section className="ins-section" aria-label={title}>
      <h3>
        {title}
        {children}
      </h3>
      {messages.length > 0 ? (
        <Conversation messages={messages} isBrief={isBrief === true} />
      ) : (
        <p className="ins-none">{none}</p>
      )}
    </section>
  );
}

interface OfCallProps {
  readonly trace: Trace;
  /** Key of the LLM call. */
  readonly of: string;
  readonly title: string;
}

/** What an LLM call was asked, or answered. */
function OfCall({ trace, of, title }: OfCallProps) {
  const row = useRow(trace.spans, of);
  const newest = useRow(trace.whole.spans, of);
  const { loaded } = useSpanLoad(trace.sessionId, of, newest);
  const isRaw = useShownSpan()?.isRaw ?? false;
  const context = useMemo(
    () => loaded && { id: loaded.detail, cuts: new Cuts(loaded.detail), isRaw },
    [loaded, isRaw],
  );
  if (loaded === undefined || context === undefined) return null;
  const { input, output } = lastExchange(loaded.detail.view.messages, true);
  const messages = title === SPAN_TEXT.task ? input : output;
  const isYetToCome = messages === output && row?.status === 'running';
  if (messages.length === 0 || isYetToCome) return null;
  return (
    <ShownSpanContext value={context}>
      <Messages title={title} messages={messages} />
    </ShownSpanContext>
  );
}

interface ValueProps {
  readonly title: string;
  readonly payload: Payload | null;
  readonly none: string;
  readonly isError?: boolean;
}

function Value({ title, payload, none, isError = false }: ValueProps) {
  return (
    <section className="ins-section">
      <h3>
        {title}
        {isError && (
          <span className="ins-panel__state ins-panel__state--failed">
            <StatusIcon shape="failed" />
            {SPAN_TEXT.toolFailed}
          </span>
        )}
      </h3>
      {payload === null ? (
        <p className="ins-none">{none}</p>
      ) : (
        <PayloadView payload={payload} what={the(title)} />
      )}
    </section>
  );
}
