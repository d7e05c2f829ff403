/** `?actor=tool:read_file`: views of a session are narrowed to an agent, a tool or a model. */
import { useMemo } from 'react';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { type Actor, parseActor } from '../../model/trace/actor.ts';
import { ACTOR_TEXT } from '../../texts.ts';
import { useInspector, useRoute } from './context.ts';
import { KindIcon } from './icons.tsx';
import './actor-filter.css';

/** The actor in the address, the same object while it stays. */
export function useActor(): Actor | undefined {
  const text = useRoute().query.get('actor') ?? '';
  return useMemo(() => parseActor(text), [text]);
}

interface ActorFilterProps {
  /** Views that it narrows, to be opened; none where this is one of them. */
  readonly views?: readonly (keyof typeof ACTOR_TEXT.open)[];
}

/** What is shown, and the way back to everything; nothing where everything is shown. */
export function ActorFilter({ views = [] }: ActorFilterProps) {
  const { router } = useInspector();
  const actor = useActor();
  if (actor === undefined) return null;
  const { kind, name } = actor;
  return (
    <div
      className="ins-actor"
      role="group"
      aria-label={ACTOR_TEXT.only(ACTOR_TEXT.kinds[kind])}
      title={views.length > 0 ? ACTOR_TEXT.elsewhere : undefined}
    >
      <KindIcon kind={kind === 'model' ? 'llm' : kind} />
      <span>{ACTOR_TEXT.only(ACTOR_TEXT.kinds[kind])}</span>
      <strong title={plainLine(name, 300)}>{plainLine(name, 60)}</strong>
      {views.map((view) => (
        <button
          key={view}
          type="button"
          className="ins-link"
          onClick={() => router.adjust({ view })}
        >
          {ACTOR_TEXT.open[view]}
        </button>
      ))}
      <button
        type="button"
        className="ins-link"
        onClick={() => router.adjust({ actor: undefined })}
      >
        {ACTOR_TEXT.all}
      </button>
    </div>
  );
}
