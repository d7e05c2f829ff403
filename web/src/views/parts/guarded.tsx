/** Error boundary of the page, a view or a part: if it throws or its code is missing, the rest stays. */
import { Component, type KeyboardEvent, type ReactNode, Suspense } from 'react';
import { missingPart, SHELL_TEXT, throwingPart } from '../../texts.ts';
import { type Page, PageContext } from './context.ts';
import { forgetMissing, MissingPartError } from './lazy-part.ts';
import './guarded.css';

interface GuardedProps {
  /** Name of the view or part; undefined for the whole page. */
  readonly name?: string;
  /** What it shows: a new value is another try. */
  readonly of?: unknown;
  /** Shown while code is loaded. */
  readonly loading?: ReactNode;
  /** Shown where the code is missing, instead of a sentence. */
  readonly missing?: ReactNode;
  /** For what floats above the page: closes it; its failure takes the focus. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

interface GuardedState {
  readonly error: unknown;
  /** Whether the service has another build of the page, once that is known. */
  readonly isReplaced?: boolean;
}

export class Guarded extends Component<GuardedProps, GuardedState> {
  static override readonly contextType = PageContext;
  declare context: Page | undefined;
  override state: GuardedState = { error: undefined };
  private stopWaiting: (() => void) | undefined;
  private wasPressed = false;

  static getDerivedStateFromError(error: unknown): GuardedState {
    return { error: error ?? new Error(String(error)) };
  }

  override componentDidCatch(error: unknown): void {
    if (!(error instanceof MissingPartError)) return;
    // From now on: before, React may render once more, and would load it again and again.
    forgetMissing();
    const inspector = this.context?.inspector;
    void inspector?.onMissingPart().then((isReplaced) => this.setState({ isReplaced }));
    const status = inspector?.feed.status;
    this.stopWaiting?.();
    // Once the service is back, it is loaded without being asked for.
    this.stopWaiting = status?.subscribe(() => {
      if (status.get().kind === 'live') this.retry();
    });
  }

  override componentDidUpdate({ of }: GuardedProps): void {
    if (of !== this.props.of && this.state.error !== undefined) this.retry();
  }

  override componentWillUnmount(): void {
    this.stopWaiting?.();
  }

  override render(): ReactNode {
    const { name, loading = <Loading />, missing, onClose, children } = this.props;
    const { error } = this.state;
    if (error === undefined) return <Suspense fallback={loading}>{children}</Suspense>;
    const isMissing = error instanceof MissingPartError;
    if (isMissing && missing !== undefined) return missing;
    const isReplaced = isMissing && name !== undefined && this.state.isReplaced === true;
    const [headline, advice] =
      name === undefined
        ? [SHELL_TEXT.pageThrew, SHELL_TEXT.pageThrewAdvice]
        : isMissing
          ? [missingPart(name), isReplaced ? SHELL_TEXT.replacedAdvice : SHELL_TEXT.missingAdvice]
          : [throwingPart(name), SHELL_TEXT.throwingAdvice];
    const reload = (
      <button type="button" onClick={() => window.location.reload()}>
        {SHELL_TEXT.reload}
      </button>
    );
    return (
      <div
        className={`ins-guarded${onClose ? ' ins-guarded--floating' : ''}`}
        role="alert"
        onKeyDown={onClose && ((event) => event.key === 'Escape' && this.close(event))}
      >
        <p>
          <strong>{headline}</strong> {advice}
        </p>
        {!isMissing && <pre>{error instanceof Error ? error.message : String(error)}</pre>}
        <p className="ins-guarded__ways">
          {isReplaced && reload}
          <button
            ref={onClose || this.wasPressed ? takeFocus : undefined}
            type="button"
            onClick={() => {
              this.wasPressed = true;
              this.retry();
            }}
          >
            {SHELL_TEXT.retry}
          </button>
          {((isMissing && !isReplaced) || name === undefined) && reload}
          {onClose !== undefined && (
            <button type="button" onClick={onClose}>
              {SHELL_TEXT.close}
            </button>
          )}
        </p>
      </div>
    );
  }

  private close(event: KeyboardEvent): void {
    event.preventDefault();
    this.props.onClose?.();
  }

  private retry(): void {
    this.stopWaiting?.();
    this.setState({ error: undefined, isReplaced: false });
  }
}

function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

function Loading() {
  return <p className="ins-guarded__loading">{SHELL_TEXT.loading}</p>;
}
