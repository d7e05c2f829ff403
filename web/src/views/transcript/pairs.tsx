/** Members of an object on one line: `path notes.md  line 3`. */
import { VisibleText } from '../parts/visible-text.tsx';

export function Pairs({ pairs }: { readonly pairs: readonly (readonly [string, string])[] }) {
  if (pairs.length === 0) return null;
  return (
    <span className="ins-tx__pairs" dir="ltr">
      {pairs.map(([name, value]) => (
        <span key={name}>
          <span className="ins-tx__key">
            <VisibleText text={name} />
          </span>{' '}
          <VisibleText text={value} />
        </span>
      ))}
    </span>
  );
}
