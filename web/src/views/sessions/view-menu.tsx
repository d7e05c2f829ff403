/** Menu of the list's view: order, columns, height of rows, chart. */
import { useId, useMemo, useRef } from 'react';
import {
  isDescending,
  NEWEST_FIRST,
  parseSort,
  SORT_KEYS,
  type Sort,
  type SortKey,
  sortKey,
} from '../../model/sessions/session-order.ts';
import { ROW_DENSITIES } from '../../state/preferences.ts';
import { COLUMN_TEXT, SESSION_LIST_ACTIONS, SESSION_LIST_TEXT, SHELL_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useInspector, usePreferences, useRoute } from '../parts/context.ts';
import { ActionIcon } from '../parts/icons.tsx';
import { PanelButton } from '../parts/popups/popup-button.tsx';
import { COLUMNS, chosenColumns } from './columns.tsx';
import './view-menu.css';

export function ViewMenu() {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const { router, preferences, sessions } = useInspector();
  const { columns: chosen, chart, columnWidths, pinned, rowDensity } = usePreferences();
  const { query } = useRoute();
  const sort = parseSort(query.get('sort'));
  const hasUsers = useCell(sessions.hasUsers);
  const shown = chosenColumns(query.get('cols'), chosen, Number.POSITIVE_INFINITY, hasUsers);
  const actions = useMemo(() => {
    const open = () => button.current?.click();
    const sorts = SORT_KEYS.map((key) => ({
      name: SESSION_LIST_ACTIONS.sortBy(COLUMN_TEXT[key]),
      run: () => router.adjust({ sort: key === 'title' ? key : sortInAddress(`-${key}`) }),
    }));
    const densities = ROW_DENSITIES.map((density) => ({
      name: SESSION_LIST_TEXT.rowsAre(SESSION_LIST_TEXT.density[density]),
      run: () => preferences.change({ rowDensity: density }),
    }));
    const toggle = () => preferences.change({ chart: !preferences.get().chart });
    return [
      { name: SESSION_LIST_TEXT.view, run: open },
      { name: SESSION_LIST_TEXT.chart, run: toggle },
      ...sorts,
      ...densities,
    ];
  }, [router, preferences]);
  useActions('Session list', actions);

  const flipPin = (column: string) =>
    preferences.change({
      pinned: pinned.includes(column)
        ? pinned.filter((one) => one !== column)
        : [...pinned, column],
    });
  const choose = (wanted: readonly string[] | null) => {
    preferences.change({ columns: wanted });
    router.adjust({ cols: wanted?.join(',') || (wanted === null ? undefined : 'none') });
  };
  const flip = (column: string) => {
    const ids = COLUMNS.map((one) => one.id).filter((one) =>
      one === column ? !shown.some(({ id }) => id === one) : shown.some(({ id }) => id === one),
    );
    choose(ids);
  };
  return (
    <PanelButton
      ref={button}
      name={SESSION_LIST_TEXT.view}
      label={SESSION_LIST_TEXT.viewLabel}
      className="ins-list-view__button"
      icon={<ActionIcon name="columns" />}
    >
      <div className="ins-list-view">
        <div className="ins-list-view__sort">
          <label htmlFor={`${id}-sort`}>{SESSION_LIST_TEXT.sortBy}</label>
          <select
            id={`${id}-sort`}
            value={sortKey(sort)}
            onChange={(event) => {
              const key = event.target.value as SortKey;
              router.adjust({ sort: sortInAddress(isDescending(sort) ? `-${key}` : key) });
            }}
          >
            {SORT_KEYS.map((key) => (
              <option key={key} value={key}>
                {COLUMN_TEXT[key]}
              </option>
            ))}
          </select>
          <button
            type="button"
            aria-label={
              isDescending(sort) ? SESSION_LIST_TEXT.descending : SESSION_LIST_TEXT.ascending
            }
            title={SESSION_LIST_TEXT.reverse}
            onClick={() => {
              const key = sortKey(sort);
              router.adjust({ sort: sortInAddress(isDescending(sort) ? key : `-${key}`) });
            }}
          >
            <ActionIcon name={isDescending(sort) ? 'down' : 'up'} />
          </button>
        </div>
        <fieldset>
          <legend>{SESSION_LIST_TEXT.columns}</legend>
          {COLUMNS.map(({ id: column, name, longName }) => {
            const isShown = shown.some((one) => one.id === column);
            return (
              <div key={column} className="ins-list-view__column">
                <label>
                  <input type="checkbox" checked={isShown} onChange={() => flip(column)} />
                  {longName ?? name}
                </label>
                {isShown && (
                  <button
                    type="button"
                    className="ins-list-view__pin"
                    aria-label={SESSION_LIST_TEXT.pin(longName ?? name)}
                    aria-pressed={pinned.includes(column)}
                    title={SESSION_LIST_TEXT.pinTitle}
                    onClick={() => flipPin(column)}
                  >
                    <ActionIcon name="pin" />
                  </button>
                )}
              </div>
            );
          })}
        </fieldset>
        <fieldset className="ins-list-view__rows">
          <legend>{SESSION_LIST_TEXT.rows}</legend>
          {ROW_DENSITIES.map((density) => (
            <label key={density}>
              <input
                type="radio"
                name={`${id}-density`}
                checked={rowDensity === density}
                onChange={() => preferences.change({ rowDensity: density })}
              />
              {SESSION_LIST_TEXT.density[density]}
            </label>
          ))}
        </fieldset>
        <footer>
          <label>
            <input
              type="checkbox"
              checked={chart}
              onChange={() => preferences.change({ chart: !chart })}
            />
            {SHELL_TEXT.chart}
          </label>
          <button
            type="button"
            onClick={() => {
              preferences.change({ columnWidths: {}, pinned: [] });
              choose(null);
            }}
            disabled={
              isFirst(shown, hasUsers) &&
              pinned.length === 0 &&
              Object.keys(columnWidths).length === 0
            }
          >
            {SESSION_LIST_TEXT.reset}
          </button>
        </footer>
      </div>
    </PanelButton>
  );
}

function isFirst(shown: readonly { readonly id: string }[], hasUsers: boolean): boolean {
  const first = chosenColumns(null, null, Number.POSITIVE_INFINITY, hasUsers);
  return shown.map(({ id }) => id).join() === first.map(({ id }) => id).join();
}

/** Sort parameter of the address; undefined for the default. */
function sortInAddress(sort: Sort): string | undefined {
  return sort === NEWEST_FIRST ? undefined : sort;
}
