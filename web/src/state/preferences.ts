/** Preferences of the reader, stored in this browser. The only reader of localStorage. */
import type { DateForm, TimeZone } from '../model/text/times.ts';
import { Cell } from './cell.ts';

export type Theme = 'system' | 'light' | 'dark' | 'contrast-light' | 'contrast';
export type RowDensity = 'compact' | 'normal' | 'comfortable';

export interface Preferences {
  readonly theme: Theme;
  /** Height of the rows of all lists. */
  readonly rowDensity: RowDensity;
  /** Widths of the span panel and of the tree column, CSS pixels. */
  readonly panel_px: number;
  readonly tree_px: number;
  /** Whether single-letter keys work; off for those who dictate. */
  readonly keys: boolean;
  /** Name of the reader beside what they do; empty: the browser's number. */
  readonly name: string;
  /** Whether requests are shown as desktop notifications. */
  readonly notify: boolean;
  /** Items chosen in the palette, and queries across sessions; the most recent first. */
  readonly recentActions: readonly string[];
  readonly recentSearches: readonly string[];
  /** Ids of the columns of the session list; null: the default ones. */
  readonly columns: readonly string[] | null;
  /** Widths of its columns that were chosen, by id, CSS pixels; `title` is that of the title. */
  readonly columnWidths: Readonly<Record<string, number>>;
  /** Ids of the columns that stay beside the title. */
  readonly pinned: readonly string[];
  /** Whether the chart above the list is open. */
  readonly chart: boolean;
  /** Whether times in a session are times of day, not times since the start. */
  readonly wallClock: boolean;
  /** Zone of all times; dates of lists as dates or as ages. */
  readonly timeZone: TimeZone;
  readonly dates: DateForm;
  /** Filters of the list: recent ones, the newest first, and saved ones. */
  readonly recentFilters: readonly string[];
  readonly savedFilters: readonly string[];
}

const MAX_RECENT = 8;
const MAX_RECENT_CHARS = 400;

export const MAX_NAME = 80;
export const MAX_SAVED = 50;

export const DEFAULTS: Preferences = {
  theme: 'system',
  rowDensity: 'normal',
  panel_px: 560,
  tree_px: 400,
  keys: true,
  name: '',
  notify: false,
  recentActions: [],
  recentSearches: [],
  columns: null,
  columnWidths: {},
  pinned: [],
  chart: true,
  wallClock: false,
  timeZone: 'local',
  dates: 'absolute',
  recentFilters: [],
  savedFilters: [],
};

export const THEMES = [
  'system',
  'light',
  'dark',
  'contrast-light',
  'contrast',
] as const satisfies readonly Theme[];
export const ROW_DENSITIES: readonly RowDensity[] = ['compact', 'normal', 'comfortable'];
export const COLUMN_PX = { least: 48, most: 1200 } as const;
const MOST_COLUMNS = 50;
const KEY = 'inspector.preferences';

/** Preferences in a stored text; every invalid value becomes its default. */
export function parsePreferences(text: string | null): Preferences {
  const stored = parseObject(text);
  return {
    theme: THEMES.find((theme) => theme === stored['theme']) ?? DEFAULTS.theme,
    rowDensity: ROW_DENSITIES.find((one) => one === stored['rowDensity']) ?? DEFAULTS.rowDensity,
    panel_px: pixels(stored['panel_px'], DEFAULTS.panel_px),
    tree_px: pixels(stored['tree_px'], DEFAULTS.tree_px),
    keys: typeof stored['keys'] === 'boolean' ? stored['keys'] : DEFAULTS.keys,
    name: typeof stored['name'] === 'string' ? cleanName(stored['name']) : DEFAULTS.name,
    notify: stored['notify'] === true,
    recentActions: recent(stored['recentActions']),
    recentSearches: recent(stored['recentSearches']),
    columns: Array.isArray(stored['columns']) ? texts(stored['columns']) : DEFAULTS.columns,
    columnWidths: widths(stored['columnWidths']),
    pinned: texts(stored['pinned']).slice(0, MOST_COLUMNS),
    chart: stored['chart'] !== false,
    wallClock: stored['wallClock'] === true,
    timeZone: stored['timeZone'] === 'utc' ? 'utc' : DEFAULTS.timeZone,
    dates: stored['dates'] === 'relative' ? 'relative' : DEFAULTS.dates,
    recentFilters: recent(stored['recentFilters']),
    savedFilters: texts(stored['savedFilters']).slice(0, MAX_SAVED),
  };
}

function recent(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const texts = value.filter((one) => typeof one === 'string' && one.length <= MAX_RECENT_CHARS);
  return texts.slice(0, MAX_RECENT);
}

/** `list` with `one` moved to the front; a text that is too long is not added. */
export function withRecent(list: readonly string[], one: string): readonly string[] {
  if (one.length > MAX_RECENT_CHARS) return list;
  return [one, ...list.filter((other) => other !== one)].slice(0, MAX_RECENT);
}

function parseObject(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The name, cut to what can be sent, without half of a surrogate pair. */
export function cleanName(name: string): string {
  return Array.from(name.replace(/\p{Cs}/gu, ''))
    .slice(0, MAX_NAME)
    .join('')
    .trim();
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function widths(value: unknown): Readonly<Record<string, number>> {
  if (typeof value !== 'object' || value === null) return {};
  const known = Object.entries(value).filter(([, px]) => typeof px === 'number');
  return Object.fromEntries(known.slice(0, MOST_COLUMNS).map(([id, px]) => [id, columnWidth(px)]));
}

/** A width that a column can have, CSS pixels. */
export function columnWidth(px: number): number {
  return Math.round(Math.min(COLUMN_PX.most, Math.max(COLUMN_PX.least, px)));
}

function pixels(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 120 && value <= 4000 ? value : otherwise;
}

export class PreferenceStore extends Cell<Preferences> {
  private readonly storage: Storage | undefined;

  constructor(storage: Storage | undefined) {
    super(parsePreferences(storage?.getItem(KEY) ?? null));
    this.storage = storage;
  }

  change(values: Partial<Preferences>): void {
    this.set({ ...this.get(), ...values });
    try {
      this.storage?.setItem(KEY, JSON.stringify(this.get()));
    } catch {
      // Storage is full or forbidden: the choice holds for this visit.
    }
  }
}

export type ShownTheme = Exclude<Theme, 'system'>;

/**
 * Apply theme and density to `root`; return the shown one, whose changes make canvases read their colours
 * again.
 */
export function applyTheme(
  preferences: PreferenceStore,
  root: HTMLElement,
  matches: (query: string) => MediaQueryList,
): Cell<ShownTheme> {
  const dark = matches('(prefers-color-scheme: dark)');
  const contrast = matches('(prefers-contrast: more)');
  const forced = matches('(forced-colors: active)');
  const resolve = (): ShownTheme => {
    // What is drawn has our colours, and stands on the system's ground: they have to fit.
    const strong = dark.matches ? 'contrast' : 'contrast-light';
    if (forced.matches) return strong;
    const { theme } = preferences.get();
    if (theme !== 'system') return theme;
    return contrast.matches ? strong : dark.matches ? 'dark' : 'light';
  };
  const shown = new Cell(resolve());
  const update = () => {
    root.dataset['theme'] = resolve();
    root.dataset['density'] = preferences.get().rowDensity;
    shown.set(resolve());
  };
  update();
  preferences.subscribe(update);
  dark.addEventListener('change', update);
  contrast.addEventListener('change', update);
  forced.addEventListener('change', update);
  return shown;
}
