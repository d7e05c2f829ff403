/** Parameters of a tool, as the model was offered it, beside the arguments of a call. */
import { type ReactNode, useMemo, useState } from 'react';
import type { Payload, SpanDetail, ToolDefinition } from '../../api/types.ts';
import { type Field, readForm } from '../../model/requests/form.ts';
import { SPAN_TEXT } from '../../texts.ts';
import { useSize } from '../parts/context.ts';
import { ClampedText } from '../parts/values/clamped-text.tsx';
import { PayloadView } from '../parts/values/payload.tsx';
import { useCut } from '../parts/values/shown-span.ts';
import { VisibleText } from '../parts/visible-text.tsx';
import { Fold } from './fold.tsx';
import './tool-schema.css';

interface WithSchemaProps {
  readonly tool: NonNullable<SpanDetail['view']['tool']>;
  readonly definition: ToolDefinition | null;
  readonly children: ReactNode;
}

/** Width from which there is room for both. */
const BESIDE_PX = 560;

export function WithSchema({ tool, definition, children }: WithSchemaProps) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const isBeside = useSize(element).width_px >= BESIDE_PX;
  const description = tool.description ?? definition?.description ?? null;
  const parameters = definition?.parameters ?? null;
  const schema = (
    <>
      {description !== null && <ClampedText text={description} what={SPAN_TEXT.description} />}
      {parameters !== null && <Parameters parameters={parameters} name={tool.name} />}
    </>
  );
  const hasSchema = description !== null || parameters !== null;
  return (
    <div
      ref={setElement}
      className={`ins-beside${isBeside && hasSchema ? ' ins-beside--two' : ''}`}
    >
      {children}
      {hasSchema && (
        <section className="ins-section ins-schema" aria-label={SPAN_TEXT.schema}>
          {isBeside ? (
            <>
              <h3>{SPAN_TEXT.schema}</h3>
              {schema}
            </>
          ) : (
            <Fold label={SPAN_TEXT.schema}>{schema}</Fold>
          )}
        </section>
      )}
    </div>
  );
}

/** Parameters of a JSON Schema; one that cannot be read so, or is cut, as it is. */
function Parameters({ parameters, name }: { readonly parameters: Payload; readonly name: string }) {
  const isCut = useCut(parameters) !== undefined || parameters.is_truncated;
  const fields = useMemo(
    () => (isCut ? undefined : readForm(parameters.text)?.filter(({ key }) => key !== undefined)),
    [parameters, isCut],
  );
  const whole = <PayloadView payload={parameters} what={SPAN_TEXT.schemaOf(name)} />;
  if (fields === undefined || fields.length === 0) return whole;
  return (
    <>
      <dl className="ins-schema__fields">
        {fields.map((field) => (
          <div key={field.key}>
            <dt>
              <code>
                <VisibleText text={field.key ?? ''} />
              </code>
              <span>
                <VisibleText text={typeOf(field)} />
                {field.isRequired && `, ${SPAN_TEXT.required}`}
              </span>
            </dt>
            {field.description !== '' && (
              <dd>
                <ClampedText text={field.description} what={field.title} />
              </dd>
            )}
          </div>
        ))}
      </dl>
      <Fold label={SPAN_TEXT.wholeSchema}>{whole}</Fold>
    </>
  );
}

const MAX_CHOICES = 8;

function typeOf({ kind, choices, format }: Field): string {
  if (choices.length > 0) {
    const labels = choices.slice(0, MAX_CHOICES).map(({ label }) => label);
    return `${labels.join(' | ')}${choices.length > MAX_CHOICES ? ' | …' : ''}`;
  }
  return format ?? (kind === 'json' ? 'JSON' : kind);
}
