/** Suggestions for the query field of the list: fields and values; filters, too, while it is empty. */
import { useEffect, useState } from 'react';
import type { Api } from '../../api/client.ts';
import { complete, type Suggestion, valueText } from '../../model/query/completion.ts';
import { plural } from '../../model/text/format.ts';
import { MAX_SAVED, type PreferenceStore, withRecent } from '../../state/preferences.ts';
import { useInspector, usePreferences } from './context.ts';

/** Pause after the last key before a request. */
const TYPING_MS = 120;
const MOST = 8;
const NONE: readonly Suggestion[] = [];

interface Suggested {
  readonly start: number;
  readonly end: number;
  readonly suggestions: readonly Suggestion[];
}

/** `caret`: undefined for no suggestions. */
export function useSuggestions(text: string, caret: number | undefined): Suggested | undefined {
  const { recentFilters, savedFilters } = usePreferences();
  const at = caret === undefined ? undefined : complete(text, caret);
  const values = useValues(at?.values?.field, at?.values?.begun ?? '');
  if (at === undefined) return undefined;
  if (text === '') {
    const saved = savedFilters.map((one) => ({ text: one, detail: 'saved' }));
    const recent = recentFilters.filter((one) => !savedFilters.includes(one));
    const suggestions = [...saved, ...recent.map((one) => ({ text: one, detail: 'recent' }))];
    return { ...at, suggestions: [...suggestions.slice(0, MOST), ...at.suggestions] };
  }
  if (at.values === undefined) return at;
  const written = text.slice(at.start, at.end);
  return { ...at, suggestions: values.filter((one) => one.text !== written).slice(0, MOST) };
}

/** Values of a field that the service has stored. */
function useValues(field: string | undefined, begun: string): readonly Suggestion[] {
  const { api } = useInspector();
  const [found, setFound] = useState<readonly Suggestion[]>(NONE);
  useEffect(() => {
    if (field === undefined) {
      setFound(NONE);
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      // Without them, one types on.
      ask(api, field, begun, abort.signal).then(setFound, () => {});
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [api, field, begun]);
  const start = begun.toLowerCase();
  return field === undefined
    ? NONE
    : found.filter((one) => one.text.replace(/^"/, '').toLowerCase().startsWith(start));
}

async function ask(
  api: Pick<Api, 'queryValues'>,
  field: string,
  begun: string,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const answer = await api.queryValues(field, begun, signal);
  const noun = answer.field.startsWith('span.') ? 'span' : 'session';
  return answer.values.map(({ value, count }) => ({
    text: valueText(value),
    detail: plural(count, noun),
  }));
}

/** Add a used filter to the front of the recent ones. */
export function noteFilter(preferences: PreferenceStore, text: string): void {
  const query = text.trim();
  const { recentFilters } = preferences.get();
  if (query === '' || recentFilters[0] === query) return;
  preferences.change({ recentFilters: withRecent(recentFilters, query) });
}

/** Save a filter, or remove a saved one. */
export function flipSaved(preferences: PreferenceStore, text: string): void {
  const query = text.trim();
  const { savedFilters } = preferences.get();
  const others = savedFilters.filter((one) => one !== query);
  const next = others.length < savedFilters.length ? others : [query, ...others];
  preferences.change({ savedFilters: next.slice(0, MAX_SAVED) });
}
