// A fault in one page stays in that page: the rest of the dashboard goes on.

import { Component, type ReactNode } from 'react';
import { FailureNote } from '../parts/failure.tsx';
import classes from './app.module.css';

type Caught = { error: unknown };

export class Boundary extends Component<{ children: ReactNode }, Caught> {
  override state: Caught = { error: undefined };

  static getDerivedStateFromError(error: unknown): Caught {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className={classes.opening}>
        <FailureNote error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
      </div>
    );
  }
}
