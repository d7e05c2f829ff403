/** Duration, tokens and cost of both sessions, side by side. */
import { Fragment } from 'react';
import type { Comparison, Session } from '../../api/types.ts';
import { summarise } from '../../model/sessions/comparison.ts';
import { COMPARE_TEXT, PARTS_TEXT } from '../../texts.ts';

interface CompareSummaryProps {
  readonly result: Comparison;
  readonly onAgain: () => void;
}

export function CompareSummary({ result, onAgain }: CompareSummaryProps) {
  const { left, right } = result;
  return (
    <>
      <StillRuns sessions={[left, right]} onAgain={onAgain} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <div className="ins-compare__table" tabIndex={0} role="group" aria-label={COMPARE_TEXT.sides}>
        <table>
          <thead>
            <tr>
              <td />
              {summarise(left, right).map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Row name={PARTS_TEXT.before} of={result} value="left" />
            <Row name={PARTS_TEXT.after} of={result} value="right" />
            <Row name={COMPARE_TEXT.differenceLabel} of={result} value="delta" />
          </tbody>
        </table>
      </div>
    </>
  );
}

interface StillRunsProps {
  readonly sessions: readonly Session[];
  readonly onAgain: () => void;
}

/** Note that a session goes on, whose comparison is of an instant that has passed. */
export function StillRuns({ sessions, onAgain }: StillRunsProps) {
  if (sessions.every(({ duration_ms }) => duration_ms !== null)) return null;
  return (
    <p className="ins-compare__running">
      {COMPARE_TEXT.stillRuns}{' '}
      <button type="button" className="ins-link" onClick={onAgain}>
        {COMPARE_TEXT.again}
      </button>
    </p>
  );
}

interface RowProps {
  readonly name: string;
  readonly of: Comparison;
  readonly value: 'left' | 'right' | 'delta';
}

function Row({ name, of, value }: RowProps) {
  return (
    <tr className={`ins-compare__${value}`}>
      <th scope="row">{name}</th>
      {summarise(of.left, of.right).map((row) => (
        <td
          key={row.name}
          className={value === 'delta' ? `ins-delta ins-delta--${row.trend}` : undefined}
        >
          {/* Where there is little room, a percentage stands below its amount. */}
          {row[value].split(/ (?=\()/).map((part) => (
            <Fragment key={part}>
              <span>{part}</span>{' '}
            </Fragment>
          ))}
        </td>
      ))}
    </tr>
  );
}
