/** Items of the palette, in order. Pure. */
import { type FuzzyMatch, fuzzyMatch } from '../../model/query/fuzzy.ts';
import { type ActionGroup, EVERYWHERE, OF_SELECTION } from '../../state/actions.ts';
import { PAGE_NAMES, PALETTE_TEXT } from '../../texts.ts';

export interface Item {
  /** Stable between visits: by it the palette knows which items were used before. */
  readonly id: string;
  /** Without hidden characters: data from traces goes through `plainLine` first. */
  readonly name: string;
  /** Heading of its section. */
  readonly where: string;
  readonly detail?: string | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly run: () => void;
}

export interface FoundItem {
  readonly item: Item;
  /** Indexes of the matched characters in the name. */
  readonly at: readonly number[];
}

export interface Section {
  readonly where: string;
  readonly found: readonly FoundItem[];
}

export const RECENT = PALETTE_TEXT.recent;
const MOST_IN_SECTION = 12;
/** Least score relative to the best match; worse matches are left out. */
const LEAST_SHARE = 0.45;
/** Bonus of an item that was used before. */
const RECENT_BONUS = 3;

/** Actions without duplicates: of two with the same name in one section, the later one. */
export function itemsOf(groups: readonly ActionGroup[], isSelectionOnly: boolean): Item[] {
  const selected = groups.filter(({ where }) => OF_SELECTION.has(where));
  // With nothing selected, what the page can do is the nearest.
  const here = groups.filter(({ where }) => where !== EVERYWHERE);
  const wanted = !isSelectionOnly ? groups : selected.length > 0 ? selected : here;
  const items = new Map<string, Item>();
  for (const { where, actions } of wanted) {
    for (const { name, keys, run } of actions) {
      const id = `${where}: ${name}`;
      items.set(id, { id, name, where, keys, run });
    }
  }
  return [...items.values()].sort(
    (a, b) => rank(a.where) - rank(b.where) || Number(isPlain(a)) - Number(isPlain(b)),
  );
}

/** Whether the action has no key; such actions are sorted last. */
function isPlain({ keys }: Item): boolean {
  return keys === undefined || keys.length === 0;
}

function rank(where: string): number {
  return OF_SELECTION.has(where) ? 0 : where === EVERYWHERE ? 2 : 1;
}

/** Sections in order, items used before on top; with a query, the best sections first. */
export function arrange(
  items: readonly Item[],
  query: string,
  recent: readonly string[],
): readonly Section[] {
  if (query.trim() === '') {
    const byId = new Map(items.map((item) => [item.id, item]));
    const used = recent.flatMap((id) => byId.get(id) ?? []);
    const rest = items.filter((item) => !used.includes(item));
    const before = used.map((item) => ({ item, at: [] }));
    const sections = sectionsOf(rest.map((item) => ({ item, at: [] })));
    return before.length > 0 ? [{ where: RECENT, found: before }, ...sections] : sections;
  }
  const known = new Set(recent);
  const scored = items.flatMap((item) => {
    const match = matchOf(item, query);
    if (match === undefined) return [];
    const score = match.score + (known.has(item.id) ? RECENT_BONUS : 0);
    return [{ item, at: match.at, score }];
  });
  scored.sort((a, b) => b.score - a.score);
  const least = (scored[0]?.score ?? 0) * LEAST_SHARE;
  return sectionsOf(scored.filter(({ score }) => score >= least || score === scored[0]?.score));
}

/** Match of the name; without one, at half the score, of name, section and detail together. */
function matchOf(item: Item, query: string): FuzzyMatch | undefined {
  const byName = fuzzyMatch(query, item.name, item.where === SESSIONS);
  if (byName !== undefined) return byName;
  const around = fuzzyMatch(query, `${item.name} ${item.where} ${item.detail ?? ''}`, true);
  return around === undefined ? undefined : { score: around.score / 2, at: [] };
}

function sectionsOf(found: readonly FoundItem[]): Section[] {
  const sections = new Map<string, FoundItem[]>();
  for (const one of found) {
    const section = sections.get(one.item.where) ?? [];
    sections.set(one.item.where, section);
    section.push(one);
  }
  return [...sections].map(([where, all]) => ({ where, found: all.slice(0, most(where)) }));
}

/** Limit of items in a section: high for actions, low for sessions and spans. */
function most(where: string): number {
  return DATA.has(where) ? MOST_IN_SECTION : 60;
}

export const SESSIONS = PAGE_NAMES.sessions;
export const SPANS = PALETTE_TEXT.spans;
const DATA: ReadonlySet<string> = new Set([SESSIONS, SPANS]);
