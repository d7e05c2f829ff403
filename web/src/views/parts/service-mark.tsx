/** Service of a span, or of a reader's session: a mark in its hue, and its name. */
import { inHueOf } from '../../model/text/hue.ts';
import { SPAN_TEXT } from '../../texts.ts';
import { useCell, useInspector } from './context.ts';
import { VisibleText } from './visible-text.tsx';
import './service-mark.css';

interface ServiceMarkProps {
  readonly service: string;
  /** The services of its session. */
  readonly services: readonly string[] | undefined;
  readonly isNamed?: boolean;
}

export function ServiceMark({ service, services, isNamed = true }: ServiceMarkProps) {
  return (
    <span
      className="ins-service"
      title={SPAN_TEXT.service(service)}
      style={{ borderColor: inHueOf('var(--service)', service, services) }}
    >
      {isNamed && <VisibleText text={service} />}
    </span>
  );
}

/** Service that stores a session of a reader, by the name before its id; undefined where there is only one. */
export function useWriter(id: string): string | undefined {
  const writers = useCell(useInspector().writers);
  return writers.length > 1 ? writers.find((name) => id.startsWith(`${name}:`)) : undefined;
}

export function WriterMark({ id }: { readonly id: string }) {
  const writers = useCell(useInspector().writers);
  const name = useWriter(id);
  if (name === undefined) return null;
  return (
    <>
      <ServiceMark service={name} services={writers} />{' '}
    </>
  );
}
