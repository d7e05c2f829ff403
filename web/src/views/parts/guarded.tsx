/** Error boundary of a view or visualiser: if it throws, the rest of the page stays. */
import { Component, type ReactNode, Suspense } from 'react';
import './guarded.css';

interface GuardedProps {
  /** Name of the view or visualiser. */
  readonly name: string;
  readonly children: ReactNode;
}

interface GuardedState {
  readonly problem: string | undefined;
}

export class Guarded extends Component<GuardedProps, GuardedState> {
  override state: GuardedState = { problem: undefined };

  static getDerivedStateFromError(error: unknown): GuardedState {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { name, children } = this.props;
    if (this.state.problem === undefined) {
      return (
        <Suspense fallback={<p className="ins-guarded__loading">Loading …</p>}>{children}</Suspense>
      );
    }
    return (
      <div className="ins-guarded" role="alert">
        <p>
          <strong>“{name}” cannot show this.</strong> Everything else still works; the other tabs
          have the same data.
        </p>
        <pre>{this.state.problem}</pre>
        <button type="button" onClick={() => this.setState({ problem: undefined })}>
          Try again
        </button>
      </div>
    );
  }
}
