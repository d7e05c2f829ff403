/** Columns that show what they are sorted by. */
import { Cost, Count, Errors, Took } from './cells.tsx';
import type { Column } from './sortable-table.tsx';

type Value<T> = (row: T) => number | null;
type More<T> = Partial<Pick<Column<T>, 'about' | 'isOptional'>>;

export function timeColumn<T>(
  id: string,
  head: string,
  value: Value<T>,
  more: More<T> = {},
): Column<T> {
  return { id, head, value, Shown: ({ row }) => <Took ns={value(row)} />, ...more };
}

/** Left out when there is nothing to count. */
export function countColumn<T>(
  id: string,
  head: string,
  value: Value<T>,
  more: More<T> = {},
): Column<T> {
  const Shown: Column<T>['Shown'] = ({ row }) => <Count of={value(row)} />;
  return { id, head, value, Shown, isOptional: true, ...more };
}

/** Left out when nothing cost anything. */
export function costColumn<T>(
  id: string,
  head: string,
  value: (row: T) => number,
  more: More<T> = {},
): Column<T> {
  const Shown: Column<T>['Shown'] = ({ row }) => <Cost usd={value(row)} />;
  return { id, head, value, Shown, isOptional: true, ...more };
}

/** Left out when nothing failed. */
export function errorsColumn<T extends { readonly errors: number }>(): Column<T> {
  const Shown: Column<T>['Shown'] = ({ row }) => <Errors count={row.errors} />;
  return { id: 'errors', head: 'Errors', isOptional: true, value: ({ errors }) => errors, Shown };
}
