/**
 * Media of a span. Only formats that cannot run code are drawn or played, from the bytes in the
 * span; nothing is fetched from elsewhere.
 */
import { useEffect, useState } from 'react';
import type { BlobPart } from '../../../api/types.ts';
import { formatBytes } from '../../../model/text/format.ts';
import { PARTS_TEXT, SPAN_TEXT, VALUE_TEXT } from '../../../texts.ts';
import { CopyButton } from '../copy-button.tsx';
import { ActionIcon } from '../icons.tsx';
import { VisibleText } from '../visible-text.tsx';
import { useWhole } from './long-value.tsx';
import { useCut } from './shown-span.ts';
import { Slow } from './slow.tsx';
import './blob-view.css';

/** Types drawn as pictures; not SVG, which is a document. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const SOUNDS = new Set([
  'audio/mpeg',
  'audio/mp3',
  'audio/wav',
  'audio/x-wav',
  'audio/ogg',
  'audio/webm',
  'audio/flac',
  'audio/aac',
  'audio/mp4',
]);
/** Limits in characters of base64: larger media are drawn on request, and none above the second. */
const MAX_AT_ONCE = 4 * 1024 * 1024;
const MAX_DRAWN = 64 * 1024 * 1024;

export function BlobView({ blob }: { readonly blob: BlobPart }) {
  const mime = blob.mime_type?.toLowerCase().split(';')[0]?.trim() ?? '';
  const cut = useCut(blob);
  const chip = (
    <FileChip
      name={blob.name}
      modality={blob.modality ?? 'data'}
      mime={blob.mime_type}
      size_bytes={blob.size_bytes ?? sizeOf(cut?.size_bytes ?? blob.data?.length)}
      note={blob.data === null ? SPAN_TEXT.notCaptured : undefined}
    />
  );
  const isDrawn = PICTURES.has(mime) || SOUNDS.has(mime);
  if (blob.data === null || !isDrawn) return chip;
  if (cut !== undefined && cut.size_bytes > MAX_DRAWN) return chip;
  if (cut === undefined) return <Media base64={blob.data} mime={mime} chip={chip} />;
  return <LongMedia key={cut.size_bytes} cut={cut} mime={mime} chip={chip} />;
}

interface LongMediaProps {
  readonly cut: NonNullable<ReturnType<typeof useCut>>;
  readonly mime: string;
  readonly chip: React.ReactNode;
}

function LongMedia({ cut, mime, chip }: LongMediaProps) {
  const { whole, load, stop } = useWhole(cut, MAX_AT_ONCE);
  if (whole.kind === 'ready') return <Media base64={whole.text} mime={mime} chip={chip} />;
  if (whole.kind === 'loading') {
    return (
      <>
        {chip}
        <Slow
          what={PARTS_TEXT.loading}
          done={whole.done_bytes}
          all={cut.size_bytes}
          onStop={stop}
        />
      </>
    );
  }
  return (
    <>
      {chip}
      {whole.problem !== undefined && <p role="alert">{whole.problem}</p>}
      <button type="button" className="ins-link" onClick={load}>
        {SOUNDS.has(mime) ? VALUE_TEXT.loadSound : VALUE_TEXT.showImage}
      </button>
    </>
  );
}

interface MediaProps {
  readonly base64: string;
  readonly mime: string;
  /** Description; shown alone if the media is broken. */
  readonly chip: React.ReactNode;
}

function Media({ base64, mime, chip }: MediaProps) {
  const [isBroken, setBroken] = useState(false);
  const address = useAddress(base64, mime);
  if (address === undefined || isBroken) return chip;
  return (
    <figure className="ins-blob">
      {SOUNDS.has(mime) ? (
        // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for it
        <audio controls preload="metadata" src={address} onError={() => setBroken(true)} />
      ) : (
        <img src={address} alt={mime} decoding="async" onError={() => setBroken(true)} />
      )}
      <figcaption>{chip}</figcaption>
    </figure>
  );
}

interface FileChipProps {
  readonly name?: string | null | undefined;
  readonly modality: string | null;
  readonly mime: string | null;
  readonly size_bytes?: number | undefined;
  readonly note?: string | undefined;
  /** Address, which can be copied and is never followed. */
  readonly uri?: string;
}

/** A file by name, type and size. */
export function FileChip({ name, modality, mime, size_bytes, note, uri }: FileChipProps) {
  const facts = [mime, size_bytes === undefined ? null : formatBytes(size_bytes), note];
  return (
    <p className="ins-file">
      <ActionIcon name="file" />
      <strong>
        <VisibleText text={name || modality || VALUE_TEXT.file} />
      </strong>
      <span>{facts.filter(Boolean).join(', ')}</span>
      {uri !== undefined && (
        <>
          <code>
            <VisibleText text={uri.slice(0, 2000)} />
          </code>
          <CopyButton text={uri} what={PARTS_TEXT.address} />
        </>
      )}
    </p>
  );
}

/** Approximate number of bytes of base64 text. */
function sizeOf(characters: number | undefined): number | undefined {
  return characters === undefined ? undefined : Math.floor((characters * 3) / 4);
}

/** Object URL of the decoded bytes, valid while the component is mounted. */
function useAddress(base64: string, mime: string): string | undefined {
  const [address, setAddress] = useState<string | undefined>(undefined);
  useEffect(() => {
    const bytes = decodeBase64(base64);
    if (bytes === undefined) return;
    const url = URL.createObjectURL(new Blob([bytes], { type: mime }));
    setAddress(url);
    return () => {
      setAddress(undefined);
      URL.revokeObjectURL(url);
    };
  }, [base64, mime]);
  return address;
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    return undefined;
  }
}
