/** Cases of the whole transcript that its first page does not reach. */
import { TranscriptView } from '../../src/views/transcript/transcript-view.tsx';
import type { GalleryCase } from '../case.ts';
import { useTrace } from '../use-trace.ts';

function Transcript({ of }: { readonly of: string }) {
  return <TranscriptView trace={useTrace(of)} selected={undefined} onSelect={() => {}} />;
}

export const cases: readonly GalleryCase[] = [
  { name: 'transcript', height: 2600, Shown: () => <Transcript of="demo-release" /> },
  { name: 'transcript, errors', height: 900, Shown: () => <Transcript of="after" /> },
];
