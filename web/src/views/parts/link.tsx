/** A link inside the page: a real address, followed without loading the page again. */
import type { MouseEvent, ReactNode } from 'react';
import { useInspector } from './context.ts';

interface LinkProps {
  /** Path relative to the page's base. */
  readonly to: string;
  readonly className?: string | undefined;
  readonly title?: string | undefined;
  /** Whether it links to the current page. */
  readonly isCurrent?: boolean;
  /** Whether the row is the current one whose focus the link takes (`list-focus.ts`). */
  readonly isCurrentRow?: boolean;
  readonly children: ReactNode;
}

export function Link({
  to,
  className,
  title,
  isCurrent = false,
  isCurrentRow,
  children,
}: LinkProps) {
  const { router } = useInspector();
  const follow = (event: MouseEvent) => {
    // A modified click asks for a new tab or window.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    router.push(to);
  };
  return (
    <a
      className={className}
      href={to === '' ? './' : to}
      title={title}
      aria-current={isCurrent ? 'page' : undefined}
      {...(isCurrentRow !== undefined && { 'data-focus': '', tabIndex: isCurrentRow ? 0 : -1 })}
      onClick={follow}
    >
      {children}
    </a>
  );
}
