/** Columns whose cells show the value that they sort by. */
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

/** Column of counts; left out if all are zero. */
export function countColumn<T>(
  id: string,
  head: string,
  value: Value<T>,
  more: More<T> = {},
): Column<T> {
  const Shown: Column<T>['Shown'] = ({ row }) => <Count of={value(row)} />;
  return { id, head, value, Shown, isOptional: true, ...more };
}

/** Column of costs; left out if all are zero. */
export function costColumn<T>(
  id: string,
  head: string,
  value: (row: T) => number,
  more: More<T> = {},
): Column<T> {
  const Shown: Column<T>['Shown'] = ({ row }) => <Cost usd={value(row)} />;
  return { id, head, value, Shown, isOptional: true, ...more };
}

/** Column of errors; left out if there are none. */
export function errorsColumn<T extends { readonly errors: number }>(): Column<T> {
  const Shown: Column<T>['Shown'] = ({ row }) => <Errors count={row.errors} />;
  return { id: 'errors', head: 'Errors', isOptional: true, value: ({ errors }) => errors, Shown };
}
