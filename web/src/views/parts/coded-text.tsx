/** A text of the catalogue whose parts between backticks are code. */
interface CodedTextProps {
  readonly text: string;
}

export function CodedText({ text }: CodedTextProps) {
  const parts = text.split('`').map((of, place) => ({ of, place }));
  return parts.map(({ of, place }) =>
    place % 2 === 1 ? <code key={place}>{of}</code> : <span key={place}>{of}</span>,
  );
}
