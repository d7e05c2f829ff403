/** A JSON value as a tree over its text: what is shown and copied is the exact text. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { isOpenAtFirst, JsonRows } from '../../../model/json/json-rows.ts';
import { JsonSearch } from '../../../model/json/json-search.ts';
import {
  indexJson,
  type JsonIndex,
  JsonScanner,
  JsonSizeError,
  StringDecoder,
} from '../../../model/json/json-text.ts';
import { formatBytes, groupThousands } from '../../../model/text/format.ts';
import { PALETTE_TEXT, PARTS_TEXT, partOf, VALUE_TEXT } from '../../../texts.ts';
import { CopyButton } from '../copy-button.tsx';
import { ActionIcon } from '../icons.tsx';
import { SearchField } from '../search-field.tsx';
import { useSliced } from '../sliced.ts';
import { ClampedText } from './clamped-text.tsx';
import { JsonList } from './json-list.tsx';
import type { InsideForm } from './json-row.tsx';
import { LongText } from './long-text.tsx';
import { Slow } from './slow.tsx';
import './json-tree.css';

interface JsonTreeProps {
  readonly index: JsonIndex;
  readonly root: number;
  /** Name of the value, for buttons: "the arguments". */
  readonly what: string;
  /** Whether it is folded at first, unless it is small: for lists of values. */
  readonly isFolded?: boolean;
}

/** Limit of nodes of a small value. */
const SMALL = 12;
/** Number of nodes above which there is a search field. */
const SEARCHED = 40;
/** Limit of characters that are parsed at once, in a few milliseconds. */
const AT_ONCE = 100_000;

/** A string of the tree in its own view. */
interface Inside {
  readonly node: number;
  readonly form: InsideForm;
}

export function JsonTree({ index, root, what, isFolded = false }: JsonTreeProps) {
  const [inside, setInside] = useState<Inside>();
  const [word, setWord] = useState('');
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
  const [found, setFound] = useState<number>();
  const rows = useMemo(() => new JsonRows(index, root), [index, root]);
  const size = (index.after[root] ?? root) - root;
  const isRootFolded = isFolded && size > SMALL;
  const isOpen = useCallback(
    (row: number) => {
      if (row >= 0 && !index.isContainer(row)) return false;
      const atFirst = row === root ? !isRootFolded : isOpenAtFirst(index, row, root);
      return atFirst !== toggled.has(row);
    },
    [index, root, isRootFolded, toggled],
  );
  const toggle = useCallback((row: number) => {
    setToggled((before) => {
      const next = new Set(before);
      if (!next.delete(row)) next.add(row);
      return next;
    });
  }, []);
  const reveal = (node: number) => {
    const closed = rows.above(node).filter((row) => !isOpen(row));
    if (closed.length > 0) {
      setToggled((before) => {
        const next = new Set(before);
        for (const row of closed) if (!next.delete(row)) next.add(row);
        return next;
      });
    }
    setFound(node);
  };
  const open = useCallback((node: number, form: InsideForm) => setInside({ node, form }), []);
  if (inside !== undefined) {
    return <InsideView index={index} inside={inside} onBack={() => setInside(undefined)} />;
  }
  return (
    <div className="ins-json">
      {size > SEARCHED && (
        <Search index={index} root={root} word={word} onWord={setWord} onReveal={reveal} />
      )}
      <JsonList {...{ index, root, rows, what, isOpen, toggle, found }} onInside={open} />
    </div>
  );
}

interface SearchProps {
  readonly index: JsonIndex;
  readonly root: number;
  readonly word: string;
  readonly onWord: (word: string) => void;
  readonly onReveal: (node: number) => void;
}

function Search({ index, root, word, onWord, onReveal }: SearchProps) {
  const make = useMemo(
    () => (word === '' ? undefined : () => new JsonSearch(index, root, word)),
    [index, root, word],
  );
  const [search, stop] = useSliced(make);
  const [at, setAt] = useState(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another word begins anew
  useEffect(() => setAt(-1), [make]);
  const found = make !== undefined && search.kind === 'done' ? search.work.found : [];
  const go = (step: number) => {
    if (found.length === 0) return;
    const next = at < 0 ? (step > 0 ? 0 : found.length - 1) : at + step;
    const place = (next + found.length) % found.length;
    setAt(place);
    onReveal(found[place] ?? root);
  };
  return (
    <div className="ins-json__search">
      <SearchField
        value={word}
        label={VALUE_TEXT.search}
        placeholder={VALUE_TEXT.search}
        hasKey={false}
        onChange={onWord}
        onEnter={(isShift) => go(isShift ? -1 : 1)}
      />
      {make !== undefined &&
        (search.kind === 'working' ? (
          <Slow
            what={VALUE_TEXT.searching}
            done={search.done - (index.start[root] ?? 0)}
            all={(index.end[root] ?? 0) - (index.start[root] ?? 0)}
            onStop={stop}
          />
        ) : (
          <span className="ins-json__found" role="status">
            {search.kind === 'done'
              ? countOf(at, found.length, search.work.isFull)
              : VALUE_TEXT.stopped}
          </span>
        ))}
      {found.length > 0 && (
        <>
          <button type="button" className="ins-link" onClick={() => go(-1)}>
            {VALUE_TEXT.previous}
          </button>
          <button type="button" className="ins-link" onClick={() => go(1)}>
            {PARTS_TEXT.next}
          </button>
        </>
      )}
    </div>
  );
}

function countOf(at: number, count: number, isFull: boolean): string {
  if (count === 0) return PALETTE_TEXT.none;
  const all = isFull ? VALUE_TEXT.orMore(count) : groupThousands(count);
  return at < 0 ? VALUE_TEXT.found(all) : partOf(at + 1, all);
}

interface InsideProps {
  readonly index: JsonIndex;
  readonly inside: Inside;
  readonly onBack: () => void;
}

/** A long string in its own view, or the JSON in it. */
function InsideView({ index, inside, onBack }: InsideProps) {
  const { node, form } = inside;
  const make = useMemo(() => () => new StringDecoder(index, node), [index, node]);
  const [decoding, stop] = useSliced(make);
  const text = useMemo(
    () => (decoding.kind === 'done' ? decoding.work.value : undefined),
    [decoding],
  );
  const path = index.path(node);
  const length = (index.end[node] ?? 0) - (index.start[node] ?? 0);
  return (
    <div className="ins-json">
      <p className="ins-json__inside">
        <button type="button" className="ins-json__back" onClick={onBack}>
          <ActionIcon name="back" />
          {PARTS_TEXT.back}
        </button>
        <code>{path}</code>
        {text !== undefined && <CopyButton text={text} what={path} />}
      </p>
      {decoding.kind === 'working' && (
        <Slow
          what={VALUE_TEXT.reading}
          done={decoding.done - (index.start[node] ?? 0)}
          all={length}
          amount={formatBytes(length)}
          onStop={stop}
        />
      )}
      {text !== undefined &&
        (form === 'json' ? (
          <JsonText text={text} what={path} />
        ) : (
          <LongText text={text} what={path} />
        ))}
    </div>
  );
}

interface JsonTextProps {
  readonly text: string;
  readonly what: string;
  /** Whether a text that is not JSON is Markdown. */
  readonly isMarkdown?: boolean;
}

/** JSON text as a tree; long text is read in slices. */
export function JsonText(props: JsonTextProps) {
  return props.text.length <= AT_ONCE ? <ShortJson {...props} /> : <LongJson {...props} />;
}

function ShortJson({ text, what, isMarkdown = false }: JsonTextProps) {
  const index = useMemo(() => indexJson(text), [text]);
  return index === undefined ? (
    <ClampedText text={text} what={what} isMarkdown={isMarkdown} isData={!isMarkdown} />
  ) : (
    <JsonTree index={index} root={0} what={what} />
  );
}

function LongJson({ text, what }: JsonTextProps) {
  const make = useMemo(() => () => new JsonScanner(text), [text]);
  const [read, stop] = useSliced(make);
  switch (read.kind) {
    case 'working':
      return (
        <Slow
          what={VALUE_TEXT.reading}
          done={read.done}
          all={text.length}
          amount={formatBytes(text.length)}
          onStop={stop}
        />
      );
    case 'done':
      return <JsonTree index={read.work.index} root={0} what={what} />;
    case 'stopped':
      return <LongText text={text} what={what} />;
    case 'failed':
      return (
        <>
          {read.error instanceof JsonSizeError && <p className="ins-none">{VALUE_TEXT.tooMany}</p>}
          <LongText text={text} what={what} />
        </>
      );
  }
}
