/** Table that can be sorted by any column; long ones are shown in parts. */

import { type ReactNode, useMemo, useState } from 'react';
import { PARTS_TEXT } from '../../../texts.ts';
import { rowsOf, useListFocus } from '../list-focus.ts';
import './sortable-table.css';

export interface Column<T> {
  readonly id: string;
  readonly head: string;
  /** Meaning of the column, in a sentence. */
  readonly about?: string;
  /** Value to sort by; null comes last either way. */
  readonly value: (row: T) => number | string | null;
  readonly Shown: (props: { readonly row: T }) => ReactNode;
  /** Whether to leave the column out when every value is null, 0 or empty. */
  readonly isOptional?: boolean;
}

/** Column that the rows are sorted by; undefined: the order of `rows`. */
interface TableSort {
  readonly by: string | undefined;
  readonly isUp: boolean;
}

interface SortableTableProps<T> {
  /** Accessible name; the row that had the focus is remembered by it. */
  readonly label: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly columns: readonly Column<T>[];
  /** Column of the initial, descending sort; undefined: the order of `rows`. */
  readonly first?: string;
  /** Sort that is kept elsewhere, such as in the address, and what to do when it changes. */
  readonly sort?: TableSort;
  readonly onSort?: (sort: TableSort) => void;
  /** Row above all others, whatever the sort. */
  readonly total?: T | undefined;
}

const PART = 25;

export function SortableTable<T>(props: SortableTableProps<T>) {
  const { label, rows, keyOf, columns, first, total } = props;
  const [ownSort, setOwnSort] = useState<TableSort>({ by: first, isUp: false });
  const { sort = ownSort, onSort: setSort = setOwnSort } = props;
  const [most, setMost] = useState(PART);
  const shown = columns.filter(
    ({ isOptional, value }) => isOptional !== true || rows.some((row) => Boolean(value(row))),
  );
  const column = columns.find(({ id }) => id === sort.by);
  const sorted = useMemo(
    () => (column === undefined ? rows : sortedBy(rows, column.value, sort.isUp)),
    [rows, column, sort.isUp],
  );
  const [element, setElement] = useState<HTMLElement | null>(null);
  const shownRows = sorted.slice(0, most);
  const { list, at } = useListFocus(element, { name: label, ...rowsOf(shownRows.map(keyOf)) });
  const change = ({ id, value }: Column<T>) => {
    const isText = rows.some((row) => typeof value(row) === 'string');
    setSort({ by: id, isUp: sort.by === id ? !sort.isUp : isText });
  };
  return (
    <div ref={setElement} className="ins-sortable" role="group" aria-label={label} {...list}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows have the focus */}
      <table role="grid">
        <thead>
          <tr>
            {shown.map((one) => (
              <th
                key={one.id}
                scope="col"
                title={one.about}
                aria-sort={one.id !== sort.by ? 'none' : sort.isUp ? 'ascending' : 'descending'}
              >
                <button type="button" onClick={() => change(one)}>
                  {one.head}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {total !== undefined && (
            <tr className="ins-sortable__total">
              <Cells row={total} columns={shown} />
            </tr>
          )}
          {shownRows.map((row, place) => (
            <tr
              key={keyOf(row)}
              data-row={keyOf(row)}
              data-focus=""
              tabIndex={place === at ? 0 : -1}
            >
              <Cells row={row} columns={shown} />
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > most && (
        <button
          type="button"
          className="ins-sortable__more"
          onClick={() => setMost(most + 8 * PART)}
        >
          {PARTS_TEXT.more(sorted.length - most)}
        </button>
      )}
    </div>
  );
}

interface CellsProps<T> {
  readonly row: T;
  readonly columns: readonly Column<T>[];
}

function Cells<T>({ row, columns }: CellsProps<T>) {
  return columns.map(({ id, head, Shown }, at) =>
    at === 0 ? (
      <th key={id} scope="row">
        <Shown row={row} />
      </th>
    ) : (
      <td key={id} data-head={head}>
        <Shown row={row} />
      </td>
    ),
  );
}

function sortedBy<T>(rows: readonly T[], measure: Column<T>['value'], isUp: boolean): readonly T[] {
  const sign = isUp ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [left, right] = [measure(a), measure(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return left < right ? -sign : left > right ? sign : 0;
  });
}
