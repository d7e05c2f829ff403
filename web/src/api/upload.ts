/** Upload of a file as it is read from the disk, with progress, which `fetch` does not report. */

interface Uploaded {
  readonly status: number;
  readonly text: string;
}

/** `onProgress`: the part that is sent, 1 when all is. Rejects when there is no answer. */
export function upload(
  url: URL,
  headers: Readonly<Record<string, string>>,
  file: Blob,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => {
      if (total > 0) onProgress(Math.min(loaded / total, 0.999));
    };
    request.upload.onload = () => onProgress(1);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = () => reject(new TypeError('No answer.'));
    request.onabort = () => reject(new DOMException('Stopped.', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
