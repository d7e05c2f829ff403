/** Service of a span: a mark in its hue, and its name. */
import { inHueOf } from '../../model/text/hue.ts';
import { SPAN_TEXT } from '../../texts.ts';
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
