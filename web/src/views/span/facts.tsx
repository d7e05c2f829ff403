/** Facts as names and values; a fact without a value is left out. */
import { ClampedText } from '../parts/values/clamped-text.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import './facts.css';

export type Fact = readonly [name: string, value: string | null | undefined];

interface FactsProps {
  readonly title: string;
  readonly facts: readonly Fact[];
}

export function Facts({ title, facts }: FactsProps) {
  if (facts.every(([, value]) => value == null || value === '')) return null;
  return (
    <section className="ins-section">
      <h3>{title}</h3>
      <FactList facts={facts} />
    </section>
  );
}

export function FactList({ facts }: Pick<FactsProps, 'facts'>) {
  return (
    <dl className="ins-facts">
      {facts
        .filter(([, value]) => value != null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>
              <VisibleText text={name} />
            </dt>
            <dd>
              <ClampedText text={value ?? ''} what={name} />
            </dd>
          </div>
        ))}
    </dl>
  );
}
