/** Media that came with the span. Only picture formats that cannot run code are drawn. */
import { useEffect, useState } from 'react';
import type { BlobPart } from '../../api/types.ts';
import { formatBytes } from '../../model/format.ts';

/** No SVG: it is a document. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

export function BlobView({ blob }: { readonly blob: BlobPart }) {
  const [isBroken, setBroken] = useState(false);
  const mime = blob.mime_type?.toLowerCase() ?? '';
  const address = usePicture(PICTURES.has(mime) ? blob.data : null, mime);
  const size = blob.size_bytes == null ? '' : `, ${formatBytes(blob.size_bytes)}`;
  const label = `${blob.modality ?? 'data'} ${blob.mime_type ?? ''}${size}`;
  if (address === undefined || isBroken) {
    return <p className="ins-none">{blob.data === null ? `${label}: not captured` : label}</p>;
  }
  return (
    <figure className="ins-blob">
      <img src={address} alt={label} onError={() => setBroken(true)} />
      <figcaption>{label}</figcaption>
    </figure>
  );
}

/** An object URL of the decoded bytes, for as long as it is shown. */
function usePicture(base64: string | null, mime: string): string | undefined {
  const [address, setAddress] = useState<string | undefined>(undefined);
  useEffect(() => {
    const bytes = base64 === null ? undefined : decodeBase64(base64);
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
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
